#include "system/application_window.h"

#include <utility>

namespace tandem::system {

Result<ApplicationWindow> ApplicationWindow::Find(const SurfaceTarget& target) {
  ApplicationWindow found;
  if (target.kind == SurfaceTarget::Kind::kXcb) {
    auto known = AskXcbWindow(target.connection, target.window);
    if (!known.ok()) return std::move(known).error();
    found.connection_ = target.connection;
  }
  if (target.kind == SurfaceTarget::Kind::kXlib) {
    auto own = ConnectAsXcb(target.connection, target.window);
    if (!own.ok()) return std::move(own).error();
    found.own_ = *std::move(own);
    found.connection_ = found.own_.get();
  }
  found.window_ = target.window;
  return found;
}

outputs::OutputStatus ApplicationWindow::Ask() const {
  if (connection_ == nullptr) return {};
  const auto known = AskXcbWindow(connection_, window_);
  return known.ok() ? *known : outputs::OutputStatus{outputs::OutputState::kLost, 0, 0};
}

}  // namespace tandem::system
