#include "outputs/testing/wayland_compositor.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "outputs/testing/compositor_dma_bufs.h"
#include "outputs/testing/compositor_extras.h"
#include "outputs/testing/compositor_lease.h"
#include "outputs/testing/compositor_screen.h"
#include "outputs/testing/compositor_surface.h"
#include "outputs/testing/protocol_log.h"

namespace tandem::outputs::testing {
namespace {

class Compositor final : public WaylandCompositor {
 public:
  explicit Compositor(const CompositorManners& manners) : manners_(manners), screen_(manners), dma_bufs_(manners) {}
  ~Compositor() override;
  bool Start();

  int Connect() override;
  void Behave(const CompositorManners& manners) override {
    screen_.Behave(manners);
    dma_bufs_.refuses = manners.refuses_dma_bufs;
  }
  void GiveBack() override { Call(Order::kGiveBack); }
  void Refuse() override { Call(Order::kRefuse); }
  void Disconnect() override { Call(Order::kDisconnect); }
  bool AwaitFrames(std::size_t count) override { return screen_.AwaitFrames(count); }
  std::vector<CommittedFrame> frames() override { return screen_.frames(); }
  std::uint64_t seen() override { return screen_.seen(); }
  std::uint64_t replaced() override { return screen_.replaced(); }
  std::size_t buffers() override {
    Call(Order::kCount);
    const std::lock_guard lock(mutex_);
    return buffers_;
  }
  std::size_t errors() override { return log_->errors(); }
  std::set<std::string> requests() override { return log_->requests(); }

 private:
  enum class Order { kNone, kConnect, kGiveBack, kRefuse, kDisconnect, kCount, kStop };

  void AddOutput();
  void Call(Order order);
  void Obey();
  // Calls `use(resource)` for each wl_buffer of a client.
  template <class Use>
  void ForEachBuffer(Use use);

  const CompositorManners manners_;
  CompositorScreen screen_;
  CompositorDmaBufs dma_bufs_;
  std::mutex mutex_;
  std::condition_variable obeyed_;
  std::size_t buffers_ = 0;
  Order order_ = Order::kNone;
  int connecting_ = -1;

  wl_display* display_ = nullptr;
  std::optional<ProtocolLog> log_;
  int orders_ = -1;
  wl_event_source* order_source_ = nullptr;
  wl_event_source* refresh_ = nullptr;
  std::thread thread_;
};

void Compositor::AddOutput() {
  wl_global_create(display_, &wl_output_interface, 1, this, [](wl_client* client, void* data, std::uint32_t, std::uint32_t id) {
    wl_resource* output = wl_resource_create(client, &wl_output_interface, 1, id);
    wl_resource_set_implementation(output, nullptr, nullptr, nullptr);
    const int refresh_ms = static_cast<Compositor*>(data)->manners_.refresh_ms;
    wl_output_send_mode(output, WL_OUTPUT_MODE_CURRENT, 640, 480, 1'000'000 / refresh_ms);
  });
}

bool Compositor::Start() {
  display_ = wl_display_create();
  log_.emplace(display_, manners_.dies_at);
  orders_ = eventfd(0, EFD_CLOEXEC);
  wl_display_init_shm(display_);
  wl_display_add_shm_format(display_, WL_SHM_FORMAT_XBGR8888);
  if (manners_.takes_dma_bufs) dma_bufs_.AddGlobal(display_);
  AddSurfaceGlobals(display_, screen_, manners_.tells_presentation);
  if (manners_.tears) AddTearingGlobal(display_);
  AddFifoGlobal(display_);
  if (manners_.scales) AddScaleGlobals(display_);
  if (!manners_.lease.node.empty()) AddLeaseGlobal(display_, manners_.lease);
  AddOutput();
  wl_event_loop* loop = wl_display_get_event_loop(display_);
  const auto obey = [](int, std::uint32_t, void* self) {
    static_cast<Compositor*>(self)->Obey();
    return 0;
  };
  const auto refresh = [](void* data) {
    auto* self = static_cast<Compositor*>(data);
    wl_event_source_timer_update(self->refresh_, self->screen_.Refresh());
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
  log_.reset();
  wl_display_destroy(display_);
  close(orders_);
}

// Returns when the thread has done it.
void Compositor::Call(Order order) {
  std::unique_lock lock(mutex_);
  order_ = order;
  static_cast<void>(eventfd_write(orders_, 1));
  obeyed_.wait(lock, [this] { return order_ == Order::kNone; });
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

template <class Use>
void Compositor::ForEachBuffer(Use use) {
  const auto visit = [](wl_resource* resource, void* data) {
    if (std::strcmp(wl_resource_get_class(resource), "wl_buffer") == 0) (*static_cast<Use*>(data))(resource);
    return WL_ITERATOR_CONTINUE;
  };
  wl_client* client = nullptr;
  wl_client_for_each(client, wl_display_get_client_list(display_)) wl_client_for_each_resource(client, visit, &use);
}

void Compositor::Obey() {
  eventfd_t count = 0;
  static_cast<void>(eventfd_read(orders_, &count));
  const std::lock_guard lock(mutex_);
  wl_client* client = nullptr;
  switch (order_) {
    case Order::kConnect: wl_client_create(display_, std::exchange(connecting_, -1)); break;
    case Order::kGiveBack:
      ForEachBuffer([this](wl_resource* buffer) {
        const auto shows = [buffer](const CompositorSurface* surface) { return surface->current == buffer; };
        if (std::ranges::none_of(screen_.surfaces(), shows)) wl_buffer_send_release(buffer);
      });
      break;
    case Order::kRefuse:
      wl_client_for_each(client, wl_display_get_client_list(display_)) wl_client_post_implementation_error(client, "no");
      break;
    case Order::kDisconnect: wl_display_destroy_clients(display_); break;
    case Order::kCount:
      buffers_ = 0;
      ForEachBuffer([this](wl_resource*) { ++buffers_; });
      break;
    case Order::kStop: wl_display_terminate(display_); break;
    case Order::kNone: break;
  }
  order_ = Order::kNone;
  obeyed_.notify_all();
}

}  // namespace

std::unique_ptr<WaylandCompositor> WaylandCompositor::Start(const CompositorManners& manners) {
  auto compositor = std::make_unique<Compositor>(manners);
  if (!compositor->Start()) return nullptr;
  return compositor;
}

}  // namespace tandem::outputs::testing
