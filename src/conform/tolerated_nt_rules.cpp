// The NT side's rules that Windows lets pass, with what is published about each.
#include <algorithm>
#include <array>

#include "conform/rules.h"
#include "kernel/tolerated.h"

namespace tandem::conform {
namespace {

constexpr Rule Tolerated(std::string_view id, std::string_view sentence, std::string_view source) {
  return {id, sentence, source, Needs::kRender, nullptr, "A free build of Windows lets a driver pass, and the kernel here does."};
}

constexpr std::array<Rule, 4> kToleratedNtRules{
    Tolerated("Nt.Assertion", "The driver's own assertions hold.",
              "NT_ASSERT, Remarks: a failed assertion is not reported without a debugger"),
    Tolerated("Nt.Handle", "A handle that is used is open and of the right type.",
              "Bug check 0x93, Cause: only NtClose stops the system, unless bad handle detection is enabled"),
    Tolerated("Nt.PagedCode", "A function that says PAGED_CODE runs at no IRQL above APC_LEVEL.",
              "PAGED_CODE, Remarks: the macro works only in checked builds"),
    Tolerated("Nt.Port", "The device has the I/O ports that the driver accesses.",
              "READ_PORT_UCHAR, WRITE_PORT_UCHAR: the access reaches the bus, and no failure is told"),
};

static_assert(std::ranges::equal(kToleratedNtRules, kernel::kToleratedNtRules, {}, &Rule::id));

}  // namespace

std::span<const Rule> ToleratedNtRules() { return kToleratedNtRules; }

}  // namespace tandem::conform
