// Chooses the path of the frames: the candidates, and one sentence for each refused candidate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "link/surface/link_surface.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Facts about the pair of adapters, known before anything is created.
struct PairFacts {
  std::string render_name;
  std::string display_name;
  std::uint32_t render_tier = 0;      // D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER, 0..3
  std::uint32_t display_tier = 0;     // 0..3
  bool render_is_discrete = false;    // D3DKMT_ADAPTERTYPE.HybridDiscrete: system memory lies behind a bus
  std::string render_bounce_reason;   // AdapterBinding::bounce_reason
  std::string display_bounce_reason;  // scan-out does not use the bounce buffer
  bool within_minimum = false;        // every tier 3 adapter scans such a surface out (IsWithinScanOutMinimum)
  bool has_encodings = false;         // SwapChainDesc::encodings
  bool has_eight_bits = true;         // eight bits in each channel and shown without conversion, as NV12 needs
  std::uint64_t emulated_link = 0;    // AdapterBinding::emulated_link of the render adapter, bytes a second
  std::uint64_t measured_link = 0;    // the narrower of both adapters' AdapterBinding::measured_link, bytes a second; 0: unknown
  std::string encode_refusal{};       // AdapterBinding::encode_refusal of the render adapter; empty: none
  std::uint64_t plain_bytes = 0;      // bytes a second of plain frames at the output's rate
  bool only_yuv420 = false;           // EncodingPolicy::Only is kYuv420, and that is built
  std::string other_yuv{};            // requested conversion to 4:2:0; empty: that of the scanned-out NV12
  bool hud = false;                   // SwapChainDesc::hud
  bool images_exist = false;          // made for another display adapter, which was lost
  std::uint32_t width = 0;            // pixels of a frame
  std::uint32_t height = 0;
};

// 1920 x 1080 pixels or fewer each way, in one of the six formats that tier 3 requires.
[[nodiscard]] bool IsWithinScanOutMinimum(std::uint32_t width, std::uint32_t height, DXGI_FORMAT format);

// The step of creating a path's buffers that failed.
enum class BuildStep : std::uint8_t {
  kScanOutBuffer,  // the display adapter's user-mode driver creates the cross-adapter primary
  kNoScanout,      // the driver reported DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT
  kStaticCheck,    // the display adapter's kernel-mode driver refuses the plane with StaticCheck
  kSharedBuffer,   // the display adapter's user-mode driver creates the cross-adapter resource of two-copy
  kOpen,           // the render adapter opens the shared buffer
  kPrimary,        // the display adapter's user-mode driver creates its own primary
  kMap,            // the processor sees the shared buffer
  kImages,         // the render adapter's user-mode driver creates the application's images
};

struct BuildFailure {
  BuildStep step = BuildStep::kOpen;
  Error error;
};

// Offers paths, best first, until one is accepted. Has no side effects.
//
// Order: direct, one-copy, two-copy, cpu. Compressed comes first if the link is known and too narrow for plain frames. One-copy
// with NV12 comes before that if 4:2:0 is the only allowed encoding: the display adapter scans it out without decoding.
//
// Caps: direct and one-copy need tier 3 of the display adapter, two-copy and cpu tier 1. Direct needs tier 2 of the render
// adapter, the others tier 1. The cpu path is used exactly where a driver would copy through a bounce buffer.
//
// A discrete render adapter draws into system memory only on request, because each overdrawn pixel would cross the bus. A
// requested path is the only candidate, except that one-copy with NV12 may precede compressed and one-copy.
class PathCandidates {
 public:
  PathCandidates(PathRequest request, PairFacts facts);

  // The path to try now; empty when all are refused.
  [[nodiscard]] std::optional<Path> current() const;
  // Form of the current path's frames in the surface that the display adapter scans out: kPlain, or kYuv420 (NV12).
  [[nodiscard]] link::LinkEncoding encoding() const;
  void Refuse(const BuildFailure& failure);

  // Precondition: the current path works.
  [[nodiscard]] PathDecision Accept() const;
  // Precondition: no path is left. Returns all reasons. Kind: that of the failure that ended the candidates, else of the last
  // memory shortage on a possible path, else kUnsupported.
  [[nodiscard]] Error Failure() const;

 private:
  struct Candidate {
    Path path;
    link::LinkEncoding encoding = link::LinkEncoding::kPlain;
  };

  [[nodiscard]] static std::vector<Candidate> CandidatesFor(PathRequest request, const PairFacts& facts);
  void SkipRefusedByCaps();
  [[nodiscard]] std::optional<std::string> RefusedByCaps(const Candidate& candidate) const;
  [[nodiscard]] std::optional<std::string> CompressionRefused() const;
  [[nodiscard]] std::string WhyCompressed() const;
  void RefuseWith(const std::string& sentence);

  PathRequest request_;
  PairFacts facts_;
  std::vector<Candidate> candidates_;  // candidates left, best first
  std::vector<std::string> refused_;
  std::optional<ErrorKind> fatal_;
  std::optional<ErrorKind> memory_;  // memory that ran out last
};

}  // namespace tandem::swapchain
