#include "experiments/training/summary.h"

#include <fmt/format.h>

#include "experiments/conditions/condition.h"
#include "experiments/process/machine.h"
#include "experiments/scoring/scoring.h"
#include "framework/core/errors.h"
#include "framework/layers/cross_entropy.h"
#include "framework/training/evaluation.h"
#include "framework/training/gradient.h"

namespace ordinal::experiments {
namespace {

// Each weight of a matrix costs one multiplication and one addition per token. Table lookups cost
// nothing, but a tied token embedding is also the output layer.
double product_flops(const ModelConfig& config, const ParameterSpec& spec) {
  const bool table =
      spec.name.starts_with("positional.") || (spec.name == "token_embedding.weight" && !config.tied_output);
  return spec.shape.size() == 2 && !table ? 2.0 * static_cast<double>(spec.size()) : 0.0;
}

double weight_flops(const Transformer<float>& model) {
  double flops = 0.0;
  for (const ParameterSpec& spec : model.layout().specs()) flops += product_flops(model.config(), spec);
  return flops;
}

double score_flops(const Transformer<float>& model, Index seq_len) {
  return 4.0 * static_cast<double>(seq_len * model.config().d_model * model.attention_layers());
}

// Bytes of activations in a run over zeros.
struct Held {
  double most = 0.0;    // before the logits, or of a whole recorded run
  double at_end = 0.0;  // when the logits of a run that is not recorded begin
};

Held held_by_run(const Transformer<float>& model, Index sequences, Index seq_len, bool record) {
  const std::vector<Token> tokens(static_cast<std::size_t>(sequences * seq_len));
  const Parameters<float> values(model.layout());
  Parameters<float> gradients(model.layout());
  Pass<float> pass(values, &gradients);
  const std::vector<double> positions(static_cast<std::size_t>(seq_len));
  const Run<float> run{
      .positions = Positions::shared(sequences, positions), .record = record, .training = record};
  pass.begin(run);
  const View<const float> hidden = model.hidden(tokens, pass);
  const auto at_end = static_cast<double>(pass.taken_bytes());
  if (record) {
    const View<const float> logits = model.logits(hidden, pass);
    const View<float> d_logits = pass.allocate(logits.rows, logits.cols);
    cross_entropy_backward<float>(logits, tokens, 1.0F, d_logits);
    model.backward(tokens, d_logits, pass);
  }
  pass.begin(run);  // with as much memory as the first run took at most
  return {static_cast<double>(pass.memory_bytes()), at_end};
}

// All examples of a length are tokens, targets and labels; a batch also has losses and hits. The file holds the values and the
// optimizer's state; what is read from it replaces the values of the model only when all of it has been read.
MemoryNeed scoring_memory(const Plan& plan, const Transformer<float>& model, Index length) {
  const Index sequences = examples_to_score(*plan.task, plan.settings, length);
  const Index at_once = std::min(plan.settings->train.batch, sequences);
  const Index shortest = plan.settings->task.train_length;
  const bool has_labels = !make_examples(*plan.task, Split::training, 0, 0, 1, shortest).labels.empty();
  const double examples = static_cast<double>(sequences) *
                          static_cast<double>(2 * sizeof(Token) + (has_labels ? sizeof(Label) : 0));
  const double batch = static_cast<double>(at_once) * static_cast<double>(sizeof(double) + sizeof(char));
  const auto state = make_optimizer<float>(plan.trainer(1).optimizer, ParameterLayout())->state();
  const double file = static_cast<double>(3 + std::ssize(state)) *
                      static_cast<double>(model.layout().flat_size()) * sizeof(float);
  const auto tokens = static_cast<double>(plan.task->seq_len(length));
  MemoryNeed need{.model = (examples + batch) * tokens + file, .runs = sequences};
  for (const Index each : evaluation_lengths(plan.settings)) {
    const Index piece = longest_piece(plan, model, each);
    if (piece > 0) need.run = std::max(need.run, held_bytes(model, 1, piece, false));
  }
  return need;
}

}  // namespace

double training_flops_per_token(const Transformer<float>& model, Index seq_len) {
  return 3.0 * (weight_flops(model) + score_flops(model, seq_len));
}

double held_bytes(const Transformer<float>& model, Index sequences, Index seq_len, bool record) {
  constexpr Index longest = 1024;
  constexpr double spare = 1.25;  // of a first run, whose memory grows piece by piece
  if (!fits_memory(2.0 * static_cast<double>(model.layout().flat_size()) * sizeof(float))) return 0.0;
  Held held = held_by_run(model, sequences, std::min(seq_len, longest), record);
  if (seq_len > longest) {
    const Held half = held_by_run(model, sequences, longest / 2, record);
    const double more = static_cast<double>(seq_len - longest) / static_cast<double>(longest / 2);
    held.most += more * (held.most - half.most);
    held.at_end += more * (held.at_end - half.at_end);
  }
  if (record) return spare * held.most;
  const Index logits =
      std::min(sequences * seq_len, Evaluator<float>::logit_rows) * model.config().vocab_size;
  return spare * std::max(held.most, held.at_end + static_cast<double>(logits) * sizeof(float));
}

MemoryNeed training_memory(const Transformer<float>& model, const TrainerOptions& options, Index batch,
                           Index seq_len) {
  check_shards(options.shards);
  const auto state = make_optimizer<float>(options.optimizer, ParameterLayout())->state();
  const auto blocks = static_cast<double>(1 + std::ssize(state) + options.shards);
  const Index of_shard = (batch + options.shards - 1) / options.shards;
  return {.model = blocks * static_cast<double>(model.layout().flat_size()) * sizeof(float),
          .run = held_bytes(model, std::min(of_shard, sequences_at_once(seq_len)), seq_len, true),
          .runs = options.shards};
}

Index longest_piece(const Plan& plan, const Transformer<float>& model, Index length) {
  Index longest = 0;
  for (const auto& [at, condition] : tests_of(plan.settings)) {
    if (at != length) continue;
    make_condition(condition);  // throws for options that contradict each other
    try {
      const TestSetup test = test_under(condition, model, *plan.task, plan.test_positions, length);
      longest = std::max(longest, test.windows.size);
    } catch (const ConfigError&) {  // nothing is scored under it
    }
  }
  return std::min(longest, plan.task->seq_len(length));
}

void check_targets(const Plan& plan) {
  constexpr Index most_tokens = 100'000;
  const Index length = training_lengths(plan.settings).longest();
  const Index examples = most_tokens / plan.task->seq_len(length);
  if (examples == 0) return;  // one may need more memory than there is
  if (count_targets(make_batch(*plan.task, Split::training, 1, 0, examples, length).targets) > 0) return;
  throw ConfigError(fmt::format(
      "task {}: got length {}, at which no training example has a target, expected a longer one (raise "
      "task.train_length, or finetune.length)",
      task_part(plan.settings).name, length));
}

Workload workload(const Plan& plan, const Transformer<float>& model) {
  const Settings& settings = plan.settings;
  Workload work;
  work.parameters = model.layout().count();
  work.constants = model.encoding().constants();
  if (const std::string note = model.encoding().note(); !note.empty())
    work.constants += (work.constants.empty() ? "" : "; ") + note;
  const Index batch = settings->train.batch;
  const LengthScheme lengths = training_lengths(settings);
  work.one_length = !lengths.has_long_batches() && !lengths.has_short_batches(*plan.task);
  double sequences = 1.0;  // each factor may be 1e9, more than an integer holds
  for (const Index factor : {settings->train.steps, batch, settings->train.accumulate})
    sequences *= static_cast<double>(factor);
  const TrainerOptions options = plan.trainer(1);
  work.training = training_memory(model, options, batch, plan.seq_len());
  // The tokens and targets of all batches of a step.
  work.training.model += static_cast<double>(settings->train.accumulate) * static_cast<double>(batch) *
                         static_cast<double>(plan.seq_len()) * static_cast<double>(2 * sizeof(Token));
  for (const auto& [length, share] : lengths.shares(*plan.task)) {
    const Index seq_len = plan.task->seq_len(length);
    work.flops += sequences * share * static_cast<double>(seq_len) * training_flops_per_token(model, seq_len);
    // Several short sequences may need more than one that is a little longer.
    work.training.run = std::max(work.training.run, training_memory(model, options, batch, seq_len).run);
  }
  const Index longest = evaluation_lengths(settings).back();
  work.scored_seq_len = plan.task->seq_len(longest);
  work.scoring = scoring_memory(plan, model, longest);
  const std::string trained = plan.training_positions.describe(plan.seq_len());
  const std::string tested = plan.test_positions.describe(work.scored_seq_len);
  work.positions = "positions " + trained + (tested == trained ? "" : ", in the test " + tested);
  return work;
}

std::string summary(const Transformer<float>& model, Index seq_len) {
  const ModelConfig& config = model.config();
  const auto line = [](const auto&... columns) {
    return fmt::format("{:<44} {:>14} {:>12} {:>14}\n", columns...);
  };
  std::string table = line("name", "shape", "parameters", "FLOPs/token");
  const double scores = score_flops(model, seq_len);
  const std::string total = line("total", "", model.layout().count(), weight_flops(model) + scores);
  for (const ParameterSpec& spec : model.layout().specs())
    table += line(spec.name, ordinal::to_string(spec.shape), spec.size(), product_flops(config, spec));
  if (scores > 0.0) table += line(fmt::format("attention scores at {} tokens", seq_len), "", "", scores);
  const std::string constants = model.encoding().constants();
  return table + total +
         fmt::format("positional encoding: {}{}{}\n", config.encoding.text(), constants.empty() ? "" : ", ",
                     constants);
}

}  // namespace ordinal::experiments
