#include "outputs/testing/wayland_compositor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "outputs/testing/compositor_dma_bufs.h"
#include "outputs/testing/compositor_surface.h"

namespace tandem::outputs::testing {
namespace {

class Compositor final : public WaylandCompositor, private CompositorSurface::Host {
 public:
  explicit Compositor(const CompositorManners& manners) : manners_(manners) {}
  ~Compositor() override;
  bool Start();

  int Connect() override;
  void Behave(const CompositorManners& manners) override {
    const std::lock_guard lock(mutex_);
    manners_ = manners;
    refuses_dma_bufs_ = manners.refuses_dma_bufs;
  }
  void GiveBack() override { Call(Order::kGiveBack); }
  void Refuse() override { Call(Order::kRefuse); }
  void Disconnect() override { Call(Order::kDisconnect); }
  bool AwaitFrames(std::size_t count) override {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return frames_.size() >= count; });
  }
  std::vector<CommittedFrame> frames() override {
    const std::lock_guard lock(mutex_);
    return frames_;
  }
  std::uint64_t seen() override {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::uint64_t replaced() override {
    const std::lock_guard lock(mutex_);
    return replaced_;
  }
  std::size_t buffers() override {
    Call(Order::kCount);
    const std::lock_guard lock(mutex_);
    return buffers_;
  }

 private:
  enum class Order { kNone, kConnect, kGiveBack, kRefuse, kDisconnect, kCount, kStop };

  void Commit(CompositorSurface& surface) override;
  std::vector<CompositorSurface*>& surfaces() override { return surfaces_; }
  void Call(Order order);
  void Obey();
  void Refresh();
  void EndFrame(CompositorSurface& surface, bool seen);

  std::mutex mutex_;
  std::condition_variable changed_;
  CompositorManners manners_;
  std::atomic<bool> refuses_dma_bufs_{false};
  std::vector<CommittedFrame> frames_;
  std::uint64_t seen_ = 0, replaced_ = 0;
  std::size_t buffers_ = 0;
  Order order_ = Order::kNone;
  int connecting_ = -1;
  std::uint64_t refreshes_ = 0;

  wl_display* display_ = nullptr;
  int orders_ = -1;
  wl_event_source* order_source_ = nullptr;
  wl_event_source* refresh_ = nullptr;
  std::vector<CompositorSurface*> surfaces_;
  std::thread thread_;
};

std::vector<std::byte> Packed(const std::byte* from, std::size_t pitch, const CommittedFrame& frame) {
  const std::size_t row = std::size_t{frame.width} * 4;
  std::vector<std::byte> pixels(row * frame.height);
  for (std::uint32_t y = 0; y < frame.height; ++y) std::memcpy(pixels.data() + y * row, from + y * pitch, row);
  return pixels;
}

std::vector<std::byte> Pixels(wl_resource* buffer, CommittedFrame& frame) {
  if (const MappedDmaBuf* mapped = DmaBufOf(buffer)) {
    frame = {mapped->width, mapped->height, mapped->format, true, {}, {}};
    return Packed(mapped->pages.data(), mapped->pitch, frame);
  }
  wl_shm_buffer* shm = wl_shm_buffer_get(buffer);
  if (shm == nullptr) return {};
  frame.width = static_cast<std::uint32_t>(wl_shm_buffer_get_width(shm));
  frame.height = static_cast<std::uint32_t>(wl_shm_buffer_get_height(shm));
  frame.format = wl_shm_buffer_get_format(shm);
  wl_shm_buffer_begin_access(shm);
  auto pixels = Packed(static_cast<const std::byte*>(wl_shm_buffer_get_data(shm)),
                       static_cast<std::size_t>(wl_shm_buffer_get_stride(shm)), frame);
  wl_shm_buffer_end_access(shm);
  return pixels;
}

void Compositor::EndFrame(CompositorSurface& surface, bool seen) {
  for (wl_resource* feedback : std::exchange(surface.due_feedbacks, {})) {
    if (seen) {
      wp_presentation_feedback_send_presented(feedback, 0, 0, 0, static_cast<std::uint32_t>(manners_.refresh_ms) * 1'000'000, 0,
                                              0, 0);
    } else {
      wp_presentation_feedback_send_discarded(feedback);
    }
    ++(seen ? seen_ : replaced_);
    wl_resource_destroy(feedback);
  }
}

void Compositor::Commit(CompositorSurface& surface) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(surface.attaches, false)) return;
  EndFrame(surface, false);
  CommittedFrame unused;
  if (surface.current != nullptr) {
    frames_[surface.current_frame].at_next = Pixels(surface.current, unused);
    const bool shown = manners_.scans_out && surface.current == surface.on_screen;
    if (manners_.gives_back && surface.current != surface.attached && !shown) wl_buffer_send_release(surface.current);
  }
  surface.current = surface.attached;
  surface.due_callbacks.insert(surface.due_callbacks.end(), surface.callbacks.begin(), surface.callbacks.end());
  surface.callbacks.clear();
  surface.due_feedbacks = std::exchange(surface.feedbacks, {});
  if (surface.current == nullptr) return;
  CommittedFrame frame;
  frame.pixels = Pixels(surface.current, frame);
  surface.current_frame = frames_.size();
  frames_.push_back(std::move(frame));
  changed_.notify_all();
}

void Compositor::Refresh() {
  const std::lock_guard lock(mutex_);
  wl_event_source_timer_update(refresh_, manners_.refresh_ms);
  if (!manners_.asks_for_frames || ++refreshes_ % manners_.refreshes_per_frame != 0) return;
  const auto time_ms = static_cast<std::uint32_t>(refreshes_) * static_cast<std::uint32_t>(manners_.refresh_ms);
  for (CompositorSurface* surface : surfaces_) {
    EndFrame(*surface, true);
    wl_resource* before = std::exchange(surface->on_screen, surface->current);
    if (manners_.scans_out && manners_.gives_back && before != nullptr && before != surface->current) wl_buffer_send_release(before);
    for (wl_resource* callback : std::exchange(surface->due_callbacks, {})) {
      wl_callback_send_done(callback, time_ms);
      wl_resource_destroy(callback);
    }
  }
}

bool Compositor::Start() {
  display_ = wl_display_create();
  orders_ = eventfd(0, EFD_CLOEXEC);
  wl_display_init_shm(display_);
  wl_display_add_shm_format(display_, WL_SHM_FORMAT_XBGR8888);
  refuses_dma_bufs_ = manners_.refuses_dma_bufs;
  if (manners_.takes_dma_bufs) AddDmaBufGlobal(display_, refuses_dma_bufs_);
  AddSurfaceGlobals(display_, *this, manners_.tells_presentation);
  wl_global_create(display_, &wl_output_interface, 1, this, [](wl_client* client, void* data, std::uint32_t, std::uint32_t id) {
    wl_resource* output = wl_resource_create(client, &wl_output_interface, 1, id);
    wl_resource_set_implementation(output, nullptr, nullptr, nullptr);
    const int refresh_ms = static_cast<Compositor*>(data)->manners_.refresh_ms;
    wl_output_send_mode(output, WL_OUTPUT_MODE_CURRENT, 640, 480, 1'000'000 / refresh_ms);
  });
  wl_event_loop* loop = wl_display_get_event_loop(display_);
  const auto obey = [](int, std::uint32_t, void* self) {
    static_cast<Compositor*>(self)->Obey();
    return 0;
  };
  const auto refresh = [](void* self) {
    static_cast<Compositor*>(self)->Refresh();
    return 0;
  };
  order_source_ = wl_event_loop_add_fd(loop, orders_, WL_EVENT_READABLE, obey, this);
  refresh_ = wl_event_loop_add_timer(loop, refresh, this);
  wl_event_source_timer_update(refresh_, manners_.refresh_ms);
  if (!manners_.socket.empty() && wl_display_add_socket(display_, manners_.socket.c_str()) != 0) return false;
  thread_ = std::thread([this] { wl_display_run(display_); });
  return true;
}

Compositor::~Compositor() {
  if (thread_.joinable()) {
    Call(Order::kStop);
    thread_.join();
  }
  wl_display_destroy_clients(display_);
  wl_event_source_remove(order_source_);
  wl_event_source_remove(refresh_);
  wl_display_destroy(display_);
  close(orders_);
}

// Returns when the thread has done it.
void Compositor::Call(Order order) {
  std::unique_lock lock(mutex_);
  order_ = order;
  static_cast<void>(eventfd_write(orders_, 1));
  changed_.wait(lock, [this] { return order_ == Order::kNone; });
}

int Compositor::Connect() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  {
    const std::lock_guard lock(mutex_);
    connecting_ = ends[0];
  }
  Call(Order::kConnect);
  return ends[1];
}

void Compositor::Obey() {
  eventfd_t count = 0;
  static_cast<void>(eventfd_read(orders_, &count));
  const std::lock_guard lock(mutex_);
  wl_client* client = nullptr;
  switch (order_) {
    case Order::kConnect: wl_client_create(display_, std::exchange(connecting_, -1)); break;
    case Order::kGiveBack:
      wl_client_for_each(client, wl_display_get_client_list(display_)) {
        const auto release = [](wl_resource* resource, void* self) {
          const auto shows = [resource](const CompositorSurface* surface) { return surface->current == resource; };
          const bool shown = std::ranges::any_of(static_cast<Compositor*>(self)->surfaces_, shows);
          if (std::strcmp(wl_resource_get_class(resource), "wl_buffer") == 0 && !shown) wl_buffer_send_release(resource);
          return WL_ITERATOR_CONTINUE;
        };
        wl_client_for_each_resource(client, release, this);
      }
      break;
    case Order::kRefuse:
      wl_client_for_each(client, wl_display_get_client_list(display_)) wl_client_post_implementation_error(client, "no");
      break;
    case Order::kDisconnect: wl_display_destroy_clients(display_); break;
    case Order::kCount:
      buffers_ = 0;
      wl_client_for_each(client, wl_display_get_client_list(display_)) {
        const auto add = [](wl_resource* resource, void* sum) {
          if (std::strcmp(wl_resource_get_class(resource), "wl_buffer") == 0) ++*static_cast<std::size_t*>(sum);
          return WL_ITERATOR_CONTINUE;
        };
        wl_client_for_each_resource(client, add, &buffers_);
      }
      break;
    case Order::kStop: wl_display_terminate(display_); break;
    case Order::kNone: break;
  }
  order_ = Order::kNone;
  changed_.notify_all();
}

}  // namespace

std::unique_ptr<WaylandCompositor> WaylandCompositor::Start(const CompositorManners& manners) {
  auto compositor = std::make_unique<Compositor>(manners);
  if (!compositor->Start()) return nullptr;
  return compositor;
}

}  // namespace tandem::outputs::testing
