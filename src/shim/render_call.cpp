#include "shim/render_call.h"

namespace tandem::shim {
namespace {

thread_local RenderCall* running = nullptr;

}  // namespace

RenderCall::RenderCall() : outer_(running) { running = this; }
RenderCall::~RenderCall() { running = outer_; }

bool RenderCall::Refuses() {
  if (running == nullptr) return false;
  running->talked_back_ = true;
  return true;
}

}  // namespace tandem::shim
