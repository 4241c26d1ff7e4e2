#include "conform/fuzz/script_maker.h"

#include <algorithm>
#include <cstring>

namespace tandem::conform {
namespace {

// A slow call is taken once in so many times that it is drawn.
constexpr std::uint64_t kSlowIn = 48;
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::array<std::uint64_t, 13> kExtents{1, 2, 7, 16, 64, 640, 768, 1024, 1080, 1920, 4096, 16384, 0};
constexpr std::array<std::uint64_t, 6> kEdges{kAllOnes, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x10000, kAllOnes - 99};
// D3DDDIFMT_A8R8G8B8, X8R8G8B8, R5G6B5, P8, A2B10G10R10, A16B16G16R16F, NV12, UNKNOWN.
constexpr std::array<std::uint64_t, 8> kFormats{21, 22, 23, 41, 31, 113, 0x3231564E, 0};

// The virtio GPU alone has registers, and the frame buffer no interrupt.
bool Fits(Call call, ScriptDevice device, CallSide side) {
  const bool on_gpu = device == ScriptDevice::kVirtioGpu || device == ScriptDevice::kVirtioGpuOnLine;
  if (call == Call::kRegister && !on_gpu) return false;
  if (call == Call::kInterrupt && !on_gpu && device != ScriptDevice::kQxl) return false;
  return FormOf(call).side == CallSide::kBoth || FormOf(call).side == side;
}

// Takes as long as a hundred other calls.
bool IsSlow(Call call) { return call == Call::kReset || call == Call::kPause || call == Call::kDevice; }

}  // namespace

CallScript ScriptMaker::Next() { return kept_.empty() || OneIn(3) ? Fresh() : Mutated(); }

CallScript ScriptMaker::Fresh() {
  CallScript script{device_, {}};
  // Most calls need a mode, or a device with surfaces.
  if (!OneIn(8) && side_ == CallSide::kFull) {
    script.steps.push_back({Call::kDevice, {0, Below(2)}, {}});
    for (std::uint64_t surface = 0; surface < 3; ++surface)
      script.steps.push_back({Call::kCreate, {0, surface, 64, 48, surface, 0, 0, kFormats[0]}, {}});
  } else if (!OneIn(8)) {
    script.steps.push_back({Call::kMode, {1024, 768}, {}});
  }
  const std::uint64_t count = 1 + Below(kMostMadeSteps - script.steps.size());
  for (std::uint64_t i = 0; i < count; ++i) script.steps.push_back(RandomStep());
  return script;
}

CallScript ScriptMaker::Mutated() {
  CallScript script = kept_[Below(kept_.size())];
  if (OneIn(4)) {
    const CallScript& other = kept_[Below(kept_.size())];
    script.steps.insert(script.steps.end(), other.steps.begin(), other.steps.end());
  }
  for (std::uint64_t i = 1 + Below(4); i > 0; --i) MutateOnce(script.steps);
  if (OneIn(2)) {
    for (std::uint64_t i = Below(kMostMadeSteps / 2); i > 0; --i) script.steps.push_back(RandomStep());
  }
  if (script.steps.size() > kMostMadeSteps) script.steps.resize(kMostMadeSteps);
  return script;
}

void ScriptMaker::MutateOnce(std::vector<CallStep>& steps) {
  const auto at = static_cast<std::ptrdiff_t>(Below(steps.size() + 1));
  if (steps.empty() || OneIn(3)) {
    steps.insert(steps.begin() + at, RandomStep());
    return;
  }
  CallStep& step = steps[Below(steps.size())];
  const CallForm& form = FormOf(step.call);
  switch (Below(4)) {
    case 0: steps.erase(steps.begin() + (&step - steps.data())); return;
    case 1: std::swap(step, steps[Below(steps.size())]); return;
    default: break;
  }
  if (form.has_data && OneIn(2)) {
    if (step.data.empty() || OneIn(3)) {
      step.data = RandomData();
    } else {
      step.data[Below(step.data.size())] = static_cast<std::byte>(random_());
    }
    return;
  }
  const std::size_t field = Below(kMostFields);
  if (form.fields[field].kind != FieldKind::kNone) step.numbers[field] = RandomNumber(form.fields[field].kind);
}

CallStep ScriptMaker::RandomStep() {
  CallStep step;
  do {
    step.call = static_cast<Call>(Below(static_cast<std::uint64_t>(Call::kCount)));
  } while (!Fits(step.call, device_, side_) || (IsSlow(step.call) && !OneIn(kSlowIn)));
  const CallForm& form = FormOf(step.call);
  for (std::size_t i = 0; i < kMostFields; ++i) step.numbers[i] = RandomNumber(form.fields[i].kind);
  if (form.has_data) step.data = RandomData();
  if (!OneIn(4)) MakeSense(step);
  return step;
}

// What a careful caller passes: rectangles with their edges in order.
void ScriptMaker::MakeSense(CallStep& step) {
  const CallForm& form = FormOf(step.call);
  for (std::size_t i = 0; i + 3 < kMostFields; ++i) {
    if (form.fields[i].name != "left") continue;
    for (std::size_t edge = 0; edge < 4; ++edge) step.numbers[i + edge] = Below(64);
    step.numbers[i + 2] += step.numbers[i] + 1;
    step.numbers[i + 3] += step.numbers[i + 1] + 1;
    if (form.fields[i + 4].name == "rects") step.numbers[i + 4] = 1 + Below(4);
    return;
  }
}

std::uint64_t ScriptMaker::RandomNumber(FieldKind kind) {
  switch (kind) {
    case FieldKind::kNone: return 0;
    case FieldKind::kSwitch: return Below(2);
    case FieldKind::kSlot: return OneIn(16) ? Below(10) : Below(3);
    case FieldKind::kSmall: return OneIn(16) ? OneOf(kEdges) : OneIn(4) ? Below(300) : Below(5);
    case FieldKind::kExtent: return OneIn(16) ? OneOf(kEdges) : OneIn(3) ? Below(4096) : OneOf(kExtents);
    case FieldKind::kCoordinate: return OneIn(8) ? OneOf(kEdges) : OneIn(2) ? Below(128) : Below(2000);
    case FieldKind::kFlags: return OneIn(8) ? random_() & 0xFFFFFFFF : OneIn(2) ? 0 : std::uint64_t{1} << Below(32);
    case FieldKind::kFormat: return OneIn(16) ? Below(256) : OneOf(kFormats);
    case FieldKind::kBytes: return OneIn(16) ? OneOf(kEdges) : OneIn(2) ? 0 : Below(256);
    case FieldKind::kAny: return OneIn(2) ? OneOf(kEdges) : random_();
  }
  return 0;
}

// Small numbers in 32-bit words look like codes, sizes and indices.
std::vector<std::byte> ScriptMaker::RandomData() {
  const std::uint64_t size = OneIn(16) ? Below(4097) : OneIn(2) ? Below(17) * 4 : Below(129);
  std::vector<std::byte> data(size);
  if (OneIn(8)) return data;
  const bool words = !OneIn(3);
  for (std::size_t i = 0; i < data.size(); i += sizeof(std::uint32_t)) {
    const std::uint64_t word = words ? RandomNumber(FieldKind::kSmall) : random_();
    std::memcpy(data.data() + i, &word, std::min(data.size() - i, sizeof(std::uint32_t)));
  }
  return data;
}

}  // namespace tandem::conform
