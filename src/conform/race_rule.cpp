// The rule that ThreadSanitizer finds broken, beside those of the trials.
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr Rule kRace{"Threads.DataRace", "Threads of the driver order their accesses to the same memory.",
                     "A driver that tandem driver build --tsan made", Needs::kRender, nullptr};

}  // namespace

const Rule& RaceRule() { return kRace; }

}  // namespace tandem::conform
