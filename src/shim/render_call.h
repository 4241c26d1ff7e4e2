// Watches that the render adapter's user-mode driver never talks back to the runtime. Internal to the module.
#pragma once

namespace tandem::shim {

// Brackets a call of the render adapter's driver on this thread. Callbacks that lead to the runtime are refused meanwhile.
class RenderCall {
 public:
  RenderCall();
  ~RenderCall();
  RenderCall(const RenderCall&) = delete;
  RenderCall& operator=(const RenderCall&) = delete;

  // True if such a callback was called since the construction.
  [[nodiscard]] bool talked_back() const { return talked_back_; }
  // For callbacks that lead to the runtime: true inside such a call, which is noted.
  [[nodiscard]] static bool Refuses();

 private:
  RenderCall* const outer_;
  bool talked_back_ = false;
};

}  // namespace tandem::shim
