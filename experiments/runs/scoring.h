// How a trained model does at one length.
#pragma once

#include "experiments/report/result.h"
#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"
#include "framework/core/threads.h"
#include "framework/positional/position_scheme.h"
#include "models/transformer.h"

namespace ordinal {

/// Scores evaluate.batches batches of validation examples of `length`, the same ones for every model: each
/// batch is evaluate.batch sequences, or (0) as many as hold about the tokens of a training batch, so that
/// every length is scored on about the same number of tokens. An encoding that cannot run at this length
/// gives a score that has failed, with the reason; that is a result.
LengthScore score_length(const Transformer<float>& model, const Parameters<float>& values, const Task& task,
                         const Settings& settings, const PositionScheme& positions, Index length,
                         Threads& threads);

}  // namespace ordinal
