// The environment of a rule's body: a kernel with the two adapters of a pair, fresh for each rule.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "conform/driver_under_test.h"
#include "conform/recording_output.h"
#include "conform/rule.h"
#include "conform/user_device.h"
#include "kernel/kernel.h"

namespace tandem::conform {

// The two drivers beneath a shim, and the function that sets its host.
struct ShimBeneath {
  PFND3D10DDI_OPENADAPTER open_render = nullptr;
  PFND3D10DDI_OPENADAPTER open_display = nullptr;
  PFNTANDEM_SETSHIMHOST set_host = nullptr;
};

class Rig {
 public:
  // Throws RuleBroken when the driver does not load or its adapter does not start.
  explicit Rig(const AdapterPair& pair) : Rig(pair, RuleSetup{}, kFirstSeed) {}
  Rig(const AdapterPair& pair, const RuleSetup& setup, std::uint32_t seed);
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  [[nodiscard]] kernel::Kernel& kernel() { return *kernel_; }
  [[nodiscard]] LUID render() const { return render_; }
  [[nodiscard]] LUID display() const { return display_; }
  // The display adapter's output; it stays empty when the display driver takes no output. Throws NotApplicable for a display
  // whose pictures nobody can see.
  [[nodiscard]] RecordingOutput& output();

  // The device of the display adapter.
  [[nodiscard]] BusDevice& DisplayDevice() { return display_device_ == nullptr ? *render_device_ : *display_device_; }

  // Connects a second output to the display adapter, as target 1. Throws NotApplicable if the driver has only one.
  [[nodiscard]] RecordingOutput& PlugSecondOutput();

  [[nodiscard]] const DriverUnderTest& render_driver() const { return *pair_.render; }
  [[nodiscard]] const DriverUnderTest& display_driver() const { return *pair_.display; }
  [[nodiscard]] kernel::AdapterDescription Description(LUID luid) const;
  // Stops and removes the render adapter, then adds it again. No handle to it may be open.
  void RestartRender();

  // A second adapter of the render adapter's driver. Throws NotApplicable if the machine has one device alone.
  [[nodiscard]] LUID AddTwin();

  // Opens a device on the node that copies.
  [[nodiscard]] UserDevice OpenRender() const { return Open(*pair_.render, render_); }
  [[nodiscard]] UserDevice OpenRender(std::uint32_t node) const { return {*pair_.render, {kernel_.get(), render_}, node}; }
  [[nodiscard]] UserDevice OpenTwin(LUID twin) const { return Open(*pair_.render, twin); }
  // Throws NotApplicable for an adapter without VidPn sources.
  [[nodiscard]] UserDevice OpenDisplay() const;

  // Copies a surface on the render adapter and compares the bytes. A device with a context is all that a compute-only driver
  // shows: its user-mode half alone knows its surfaces and commands.
  void RequireCopy(std::uint32_t seed) const;

  // The seed of a generator of random work. `own` separates the generators of one rule, the rig's seed separates runs. With
  // kFirstSeed the result equals `own`.
  [[nodiscard]] std::uint32_t Seed(std::uint32_t own) const;

  [[nodiscard]] bool RenderSharesBackingStores() const { return static_cast<bool>(pair_.render->kmd_access); }

  // For trials through a shim.
  void SetBeneath(const ShimBeneath& beneath) { beneath_ = beneath; }
  [[nodiscard]] const ShimBeneath& beneath() const { return beneath_; }

  // True if a driver host knows what one of the drivers leaves behind.
  [[nodiscard]] bool HasDriverHost() const { return pair_.render->host != nullptr || pair_.display->host != nullptr; }

  // The rule violations that the kernel and driver hosts reported so far; empty when there is none.
  [[nodiscard]] std::string Violations();

 private:
  [[nodiscard]] UserDevice Open(const DriverUnderTest& driver, LUID luid) const;
  void RequireSource() const;
  void AddRender();
  LUID Add(const DriverUnderTest& driver, kernel::Driver& loaded, BusDevice& device, const std::string& name,
           kernel::AdapterVisibility visibility);
  [[nodiscard]] kernel::Driver& Load(const DriverUnderTest& driver);

  const AdapterPair pair_;
  const RuleSetup setup_;
  const std::uint32_t seed_;
  const std::shared_ptr<RecordingOutput> output_;
  std::shared_ptr<RecordingOutput> second_output_;
  std::unique_ptr<BusDevice> render_device_;
  std::unique_ptr<BusDevice> display_device_;  // null: the render adapter displays as well
  std::unique_ptr<BusDevice> twin_device_;
  std::unique_ptr<kernel::Kernel> kernel_;
  kernel::Driver* loaded_render_ = nullptr;
  ShimBeneath beneath_;
  LUID render_{};
  LUID display_{};
};

}  // namespace tandem::conform
