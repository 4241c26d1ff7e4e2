// The one failure type. Functions that can fail return Result<T>; no exception crosses a module's border.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/check.h"

namespace tandem {

enum class ErrorKind {
  kInvalidArgument,   // the caller broke the call's documented contract, or a user gave a meaningless value
  kNotFound,          // a named file, adapter or id does not exist, or no longer
  kUnsupported,       // this adapter, system or build cannot do it; a second attempt will not help
  kLimit,             // a named limit of limits.h, or one that the adapter reported, would be exceeded
  kOutOfMemory,       // the system has no memory left, or no room for more of it
  kOutOfVideoMemory,  // the adapter's own memory is exhausted
  kDeviceLost,        // the adapter was removed, hung or stopped; its objects can only be destroyed
  kSurfaceLost,       // the frames' window or display is gone for good
  kOutOfDate,         // the surface changed (size, mode) since the object was made; a new object works
  kTimeout,           // the deadline passed first; nothing is known to be broken
  kIo,                // the operating system refused or failed an operation on a file, socket or device
  kInternal,          // a rule of ours or of a driver's contract was violated; always worth a bug report
};

// The kind in words for messages, for example "out of date". Static storage.
[[nodiscard]] std::string_view ToString(ErrorKind kind);

struct Error {
  ErrorKind kind;
  std::string message;  // one line, without control characters; a sentence with the value and the limit

  // Adds context to the failure: "Opening the render adapter: Pitch 1000 is not a multiple of 128."
  [[nodiscard]] Error Context(std::string_view prefix) const;
};

namespace internal {
[[nodiscard]] std::string Format(fmt::string_view format, fmt::format_args args);
}  // namespace internal

// Example: return Fail(ErrorKind::kInvalidArgument, "Pitch {} is not a multiple of {}.", pitch, kPitchAlignment);
template <class... Args>
[[nodiscard]] Error Fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return Error{kind, internal::Format(format, fmt::make_format_args(args...))};
}

template <class T>
class Result;

namespace internal {
template <class U, class T>
concept ValueFor = !std::is_same_v<std::remove_cvref_t<U>, Result<T>> && !std::is_same_v<std::remove_cvref_t<U>, Error> &&
                   std::is_convertible_v<U&&, T>;
}  // namespace internal

// A T or an Error. Asking for the one that is absent is a bug of ours and aborts the process.
template <class T>
class [[nodiscard]] Result {
  static_assert(!std::is_reference_v<T> && !std::is_same_v<std::remove_cv_t<T>, Error>);

 public:
  // Accepts any type that converts to T without a cast: a value, or unique_ptr<Derived> for Result<unique_ptr<Base>>.
  template <internal::ValueFor<T> U = T>
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}      // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }

  [[nodiscard]] T& value() & {
    TANDEM_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    TANDEM_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    TANDEM_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }

  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const& {
    TANDEM_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] Error&& error() && {
    TANDEM_CHECK(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

// Success is `return {};`.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return !error_.has_value(); }

  [[nodiscard]] const Error& error() const& {
    TANDEM_CHECK(!ok());
    return *error_;
  }
  [[nodiscard]] Error&& error() && {
    TANDEM_CHECK(!ok());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace tandem
