// The decision on one program: whether Tandem serves it, with which settings, and the line behind each of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/policy/identity.h"
#include "config/policy/policy_file.h"
#include "config/settings.h"

namespace tandem::config {

// Switches the layer on for a whole session, with TANDEM_ENABLE=1 beside it: a program counts as launched only when its launcher
// sets this to 0 or names an adapter.
inline constexpr const char* kSessionVariable = "TANDEM_SESSION";

// A value that somebody gave for a key.
struct Candidate {
  std::string key;
  std::string text;
  Origin origin;
  std::string lost;  // the reason; empty for the one that counts
};

struct Decision {
  ProgramIdentity program;
  TracedSettings traced;
  bool launched = false;
  bool served = false;
  std::string reason;                 // one sentence
  std::vector<Candidate> candidates;  // strongest last
  std::vector<PolicyFault> faults;
};

// `files` stand weakest first, as ReadPolicyFiles() (policy_folders.h) gives them. A table that names the program outweighs every
// [default]; then the source decides: vendor, administrator, user; then the later file and the later table. The environment
// outweighs them all, and a key that the administrator locked outweighs user and environment. kInvalidArgument for a bad value in
// the environment.
[[nodiscard]] Result<Decision> Decide(const ProgramIdentity& program, std::span<const PolicyFile> files,
                                      const Environment& environment);

// Decide() for the process that asks, by the files and the environment of this machine.
[[nodiscard]] Result<Decision> DecideForThisProcess(ApplicationNames names);

// "/etc/tandem/policy.d/a.toml:3, [app.\"game\"]", or a variable, or an option.
[[nodiscard]] std::string PlaceOf(const Origin& origin);

}  // namespace tandem::config
