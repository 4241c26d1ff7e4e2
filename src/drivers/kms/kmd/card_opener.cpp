#include "drivers/kms/kmd/card_opener.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <sys/sysmacros.h>

#include "drivers/kms/card/card_list.h"
#include "drivers/kms/card/resources.h"
#include "outputs/wayland/lease.h"
#include "outputs/x11/lease.h"

namespace tandem::kms {
namespace {

bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

Result<Connector> FindLeasable(const Card& card, const std::string& wanted) {
  auto resources = ReadResources(card);
  if (!resources.ok()) return std::move(resources).error();
  const auto fits = [&wanted](const Connector& connector) {
    if (!wanted.empty()) return connector.name == wanted;
    return connector.non_desktop && connector.status == ConnectorStatus::kConnected;
  };
  const auto found = std::ranges::find_if(resources->connectors, fits);
  if (found != resources->connectors.end()) return *found;
  if (wanted.empty()) {
    return Fail(ErrorKind::kNotFound, "{} has no headset to borrow: name the connector that the desktop is to lend.",
                card.identity().path);
  }
  return Fail(ErrorKind::kNotFound, "{} has no connector '{}' to borrow.", card.identity().path, wanted);
}

// The lease ends with the card.
template <class Lease>
Result<std::unique_ptr<Card>> Adopt(Result<std::unique_ptr<Lease>> lease) {
  if (!lease.ok()) return std::move(lease).error();
  auto card = Card::Adopt((*lease)->TakeCard(), false);
  if (card.ok()) (*card)->KeepOpener(*std::move(lease));
  return card;
}

Result<std::unique_ptr<Card>> BorrowConnector(const std::string& path, const std::string& connector) {
  auto card = Card::OpenBeside(path);
  if (!card.ok()) return std::move(card).error();
  // The first file of a card that is nobody's is its master.
  if ((*card)->IsMaster()) return Fail(ErrorKind::kUnsupported, "No desktop shows on {}.", path);
  const auto leasable = FindLeasable(**card, connector);
  if (!leasable.ok()) return leasable.error();
  const dev_t number = makedev((*card)->identity().major, (*card)->identity().minor);
  std::string answers;
  if (IsSet("WAYLAND_DISPLAY")) {
    auto leased = Adopt(outputs::WaylandLease::Take(number, leasable->id));
    if (leased.ok()) return leased;
    answers = leased.error().message;
  }
  if (IsSet("DISPLAY")) {
    auto leased = Adopt(outputs::X11Lease::Take({}, number, leasable->id));
    if (leased.ok()) return leased;
    if (!answers.empty()) answers += ' ';
    answers += leased.error().message;
  }
  return Fail(ErrorKind::kUnsupported, "{} of {} is not borrowed. {}", leasable->name, path, answers);
}

}  // namespace

Result<std::unique_ptr<Card>> OpenCard(const CardName& name, SeatListener& seat) {
  std::string refusal;
  if (IsSet("WAYLAND_DISPLAY") || IsSet("DISPLAY")) {
    const auto path = FindNode(name);
    auto borrowed = path.ok() ? BorrowConnector(*path, name.connector) : Result<std::unique_ptr<Card>>(path.error());
    if (borrowed.ok()) return borrowed;
    refusal = borrowed.error().message;
  }
  auto found = FindCard(name, &seat);
  if (found.ok() || refusal.empty()) return found;
  return Fail(found.error().kind, "{} {}", found.error().message, refusal);
}

}  // namespace tandem::kms
