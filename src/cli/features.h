// tandem features: the listings of the feature query, and the overrides of the feature file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "kernel/kernel.h"
#include "system/feature_report.h"

namespace tandem::cli {

// "Negotiate", "HostOnly", "DeferToHost", "None".
[[nodiscard]] const char* VirtualizationName(kernel::FeatureVirtualization mode);

// The three listings: columns, their order and their words are those of the public debugger extension.
[[nodiscard]] std::string FeatureListTable(std::span<const kernel::Feature> features);
[[nodiscard]] std::string FeatureConfigTable(std::span<const kernel::Feature> features, const system::FeatureReport& report);
[[nodiscard]] std::string FeatureStateTable(std::span<const kernel::Feature> features, const system::FeatureReport& report);

// Answers guests at a new socket until SIGINT, SIGTERM or SIGHUP; returns the exit code.
[[nodiscard]] int ServeFeatures(const FeaturesCommand& command);
// The states of an adapter whose host is at the socket. kIo: nobody listens there.
[[nodiscard]] Result<std::vector<system::FeatureReport>> GuestReports(const FeaturesCommand& command);

// Prints or changes; returns the exit code.
[[nodiscard]] int Features(const FeaturesCommand& command);

}  // namespace tandem::cli
