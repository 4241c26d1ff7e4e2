#include "kernel/feature/feature_guest.h"

#include <utility>

#include "base/log.h"

namespace tandem::kernel {

Result<std::unique_ptr<FeatureGuest>> FeatureGuest::Create(UniqueFd socket, AdapterFeatures& features) {
  std::unique_ptr<FeatureGuest> guest(new FeatureGuest(std::move(socket), features));
  auto thread = Thread::Start("feature-host", [raw = guest.get()] { raw->Serve(); });
  if (!thread.ok()) return std::move(thread).error();
  guest->thread_ = *std::move(thread);
  return guest;
}

FeatureGuest::~FeatureGuest() {
  socket_.ShutDown();
  thread_.Join();
}

void FeatureGuest::Serve() {
  for (;;) {
    auto message = socket_.Receive();
    if (message.ok()) message = AnswerTo(*message);
    Result<void> sent = message.ok() ? socket_.Send(*message) : message.error();
    if (sent.ok()) continue;
    const bool left = sent.error().kind == ErrorKind::kDeviceLost;
    Log(left ? LogLevel::kInfo : LogLevel::kWarn, "A guest is not answered any more: {}", sent.error().message);
    socket_.ShutDown();
    return gone_.store(true, std::memory_order_release);
  }
}

Result<FeatureMessage> FeatureGuest::AnswerTo(const FeatureMessage& message) {
  FeatureMessage answer = message;
  if (message.kind == FeatureMessageKind::kHello && !greeted_) {
    greeted_ = true;
    answer.kind = FeatureMessageKind::kWelcome;
    answer.versions = Common(message.versions, {kFeatureProtocol, kFeatureProtocol});
    return answer;
  }
  if (message.kind != FeatureMessageKind::kQuery || !greeted_) {
    return Fail(ErrorKind::kInvalidArgument, "A message of kind {} is out of turn.", static_cast<unsigned>(message.kind));
  }
  answer.kind = FeatureMessageKind::kAnswer;
  answer.versions = features_.AnswerGuest(message.id, message.versions);
  return answer;
}

}  // namespace tandem::kernel
