// Random valid sequences of modes, flips and copies on a display; every shown picture is checked.
#include <array>
#include <random>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr int kSteps = 60;

// One of two modes, with the surfaces that it flips between.
struct Mode {
  std::uint32_t width = 0, height = 0;
  Surface staging{};  // the source of copies
  std::array<Surface, 3> surfaces{};
  std::array<std::uint32_t, 3> seeds{};
};

class Screen {
 public:
  Screen(Rig& rig, std::uint32_t seed) : output_(rig.output()), user_(rig.OpenDisplay()), random_(seed) {
    for (Mode& mode : modes_) {
      mode.staging = user_.Create({mode.width, mode.height, SurfaceUse::kCrossAdapter});
      for (std::size_t i = 0; i < mode.surfaces.size(); ++i) {
        mode.surfaces[i] = user_.Create({mode.width, mode.height, SurfaceUse::kPrimary});
        Draw(mode, i);
      }
    }
    SetMode(0);
  }

  void Step() {
    Mode& mode = modes_[mode_];
    const std::size_t other = (shown_ + 1 + random_() % (mode.surfaces.size() - 1)) % mode.surfaces.size();
    switch (random_() % 4) {
      case 0: return SetMode(1 - mode_);
      case 1: Draw(mode, other); break;  // then flips to the surface at once, queued behind the copy
      default: break;
    }
    static constexpr std::array kIntervals{D3DDDI_FLIPINTERVAL_IMMEDIATE, D3DDDI_FLIPINTERVAL_ONE, D3DDDI_FLIPINTERVAL_TWO};
    const std::size_t before = output_.shown().size();
    RequireSuccess(user_.FlipOrWait(mode.surfaces[other], kIntervals[random_() % kIntervals.size()]), "D3DKMTPresent of a flip");
    RequireShown(before, other);
  }

 private:
  void Draw(Mode& mode, std::size_t surface) {
    user_.Finish();  // no copy reads the staging surface any more
    mode.seeds[surface] = ++drawn_ << 24;
    user_.Paint(mode.staging, mode.seeds[surface]);
    RequireSuccess(user_.Copy(mode.staging, mode.surfaces[surface], {}), "D3DKMTPresent of a copy");
  }

  void SetMode(std::size_t mode) {
    user_.Finish();
    mode_ = mode;
    const std::size_t before = output_.shown().size();
    RequireSuccess(user_.SetMode(modes_[mode].surfaces[0], D3DDDI_ROTATION_IDENTITY), "D3DKMTSetDisplayMode");
    RequireShown(before, 0);
  }

  void RequireShown(std::size_t before, std::size_t surface) {
    user_.Finish();
    Require(output_.AwaitShown(before + 1), "After {} pictures the next one is not shown.", before);
    shown_ = surface;
    const Mode& mode = modes_[mode_];
    const ShownPicture picture = output_.shown().back();
    Require(picture.width == mode.width && picture.height == mode.height, "A picture of {} x {} is shown in a mode of {} x {}.",
            picture.width, picture.height, mode.width, mode.height);
    for (std::uint32_t y = 0; y < mode.height; ++y) {
      for (std::uint32_t x = 0; x < mode.width; ++x) {
        const std::uint32_t due = UserDevice::Painted(mode.seeds[surface], x, y);
        Require(picture.Shows(x, y, due), "Picture {}: pixel ({}, {}) is 0x{:08X}; 0x{:08X} was due.", before, x, y,
                picture.At(x, y), due);
      }
    }
  }

  RecordingOutput& output_;
  UserDevice user_;
  std::mt19937 random_;
  std::array<Mode, 2> modes_{{{64, 48}, {50, 36}}};
  std::size_t mode_ = 0, shown_ = 0;
  std::uint32_t drawn_ = 0;
};

void ModesAndFlips(Rig& rig) {
  Screen screen(rig, rig.Seed(5));
  for (int step = 0; step < kSteps; ++step) screen.Step();
}

constexpr std::array<Rule, 1> kDisplayWorkloadRules{{
    {"Workload.Display", "Any valid sequence of modes, flips and copies shows each picture whole, and the one that is due.",
     "DxgkDdiCommitVidPn, DxgkDdiSetVidPnSourceAddress, DXGKDDI_PRESENT", Needs::kDisplay, &ModesAndFlips},
}};

}  // namespace

std::span<const Rule> DisplayWorkloadRules() { return kDisplayWorkloadRules; }

}  // namespace tandem::conform
