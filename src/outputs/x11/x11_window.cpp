#include "outputs/x11/x11_window.h"

#include <utility>

#include "outputs/x11/connection.h"
#include "outputs/x11/x11_output.h"

namespace tandem::outputs {
namespace {

// The window belongs to a connection of its own; X11Output shows on it as on any foreign window.
class WindowOutput final : public Output {
 public:
  WindowOutput(std::unique_ptr<X11Connection> connection, xcb_window_t window, std::unique_ptr<Output> output)
      : connection_(std::move(connection)), window_(window), output_(std::move(output)) {}

  [[nodiscard]] const OutputInfo& info() const override { return output_->info(); }
  [[nodiscard]] OutputStatus Status() const override { return {output_->Status().state, 0, 0}; }

  Result<void> Show(const Surface& surface) override {
    if (surface.width != width_ || surface.height != height_) Appear(surface.width, surface.height);
    return output_->Show(surface);
  }

  [[nodiscard]] bool KeepsTime() const override { return output_->KeepsTime(); }
  [[nodiscard]] Beat last_beat() override { return output_->last_beat(); }
  void Listen(std::function<void()> call) override { output_->Listen(std::move(call)); }
  [[nodiscard]] DisplayReport report() override { return output_->report(); }
  void Forget(std::uint64_t surface_id) override { output_->Forget(surface_id); }
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return output_->LastShowCopiedBytes(); }

 private:
  // Ends with a round trip, so that the server knows the size before the other connection sends pixels.
  void Appear(std::uint32_t width, std::uint32_t height) {
    xcb_connection_t* x = connection_->get();
    const std::uint32_t size[] = {width, height};
    xcb_configure_window(x, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    xcb_map_window(x, window_);
    const Reply<xcb_get_input_focus_reply_t> reply(xcb_get_input_focus_reply(x, xcb_get_input_focus(x), nullptr));
    width_ = width;
    height_ = height;
  }

  std::unique_ptr<X11Connection> connection_;
  xcb_window_t window_;
  std::unique_ptr<Output> output_;  // destroyed before its window's connection
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
};

}  // namespace

Result<std::unique_ptr<Output>> CreateX11WindowOutput(const std::string& display, const std::string& title) {
  auto connection = X11Connection::Open(display);
  if (!connection.ok()) return std::move(connection).error();
  xcb_connection_t* x = (*connection)->get();
  const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(x)).data;
  const xcb_window_t window = xcb_generate_id(x);
  xcb_create_window(x, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                    screen->root_visual, 0, nullptr);
  xcb_change_property(x, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
                      static_cast<std::uint32_t>(title.size()), title.data());
  const Reply<xcb_get_input_focus_reply_t> created(xcb_get_input_focus_reply(x, xcb_get_input_focus(x), nullptr));
  auto output = CreateX11Output({display, window});
  if (!output.ok()) return std::move(output).error();
  return std::make_unique<WindowOutput>(*std::move(connection), window, *std::move(output));
}

}  // namespace tandem::outputs
