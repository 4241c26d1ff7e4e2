// Objects that the kernel holds handles of. A kernel that stopped the adapter no longer gives them back: what is left goes with
// the adapter.
#pragma once

#include <new>
#include <utility>

#include "base/thread.h"

namespace tandem::processor {

// A handle is the pointer to the derived object.
class Object {
 public:
  Object() = default;
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

 private:
  friend class Objects;
  Object* previous_ = nullptr;
  Object* next_ = nullptr;
};

// Threads: any.
class Objects {
 public:
  Objects() = default;
  ~Objects() {
    while (first_ != nullptr) Destroy(first_);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  // Null when there is no memory.
  template <class T, class... Args>
  [[nodiscard]] T* Create(Args&&... args) {
    auto* const object = new (std::nothrow) T(std::forward<Args>(args)...);
    if (object == nullptr) return nullptr;
    const MutexLock lock(mutex_);
    object->Object::next_ = first_;
    if (first_ != nullptr) first_->previous_ = object;
    first_ = object;
    return object;
  }

  // Null is nothing.
  void Destroy(Object* object) {
    if (object == nullptr) return;
    {
      const MutexLock lock(mutex_);
      (object->previous_ != nullptr ? object->previous_->next_ : first_) = object->next_;
      if (object->next_ != nullptr) object->next_->previous_ = object->previous_;
    }
    delete object;
  }

 private:
  Mutex mutex_;
  Object* first_ = nullptr;  // under mutex_, but for the destructor
};

}  // namespace tandem::processor
