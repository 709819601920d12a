// What the page of the program `encoding` says about an encoding, in plain sentences. encoding_panels.h has the rest.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/report/explorer_data.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {

/// What is worth knowing before looking at pictures.
std::string introduction_words(const EncodingNumbers& numbers, const std::vector<EncodingEntry>& parts);

/// What one sees in each panel, and what to look for.
std::string input_words(const EncodingNumbers& numbers);
std::string offset_words(const EncodingNumbers& numbers);
std::string angle_words(const EncodingNumbers& numbers);
std::string product_words(const EncodingNumbers& numbers);
std::string wavelength_words(const std::vector<double>& frequencies, std::span<const double> positions);
std::string bias_words(const EncodingNumbers& numbers, const std::vector<EncodingEntry>& parts);
std::string attention_words(const EncodingNumbers& numbers);

}  // namespace ordinal::experiments
