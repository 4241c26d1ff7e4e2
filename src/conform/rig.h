// What a rule's body stands in: a kernel with the two adapters of a pair, fresh for each rule.
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
  // What the display adapter shows; nothing is ever shown on it when the display driver takes no output.
  [[nodiscard]] RecordingOutput& output() { return *output_; }

  // A second output on the display adapter, of target 1. Throws NotApplicable where the driver has one alone.
  [[nodiscard]] RecordingOutput& PlugSecondOutput();

  [[nodiscard]] const DriverUnderTest& render_driver() const { return *pair_.render; }
  [[nodiscard]] const DriverUnderTest& display_driver() const { return *pair_.display; }
  [[nodiscard]] kernel::AdapterDescription Description(LUID luid) const;
  // Stops and removes the render adapter, and adds it again. Nobody may have it open.
  void RestartRender();

  // A second adapter of the render adapter's driver.
  [[nodiscard]] LUID AddTwin();

  // On the node that copies.
  [[nodiscard]] UserDevice OpenRender() const { return Open(*pair_.render, render_); }
  [[nodiscard]] UserDevice OpenRender(std::uint32_t node) const { return {*pair_.render, {kernel_.get(), render_}, node}; }
  [[nodiscard]] UserDevice OpenTwin(LUID twin) const { return Open(*pair_.render, twin); }
  // Not applicable to an adapter without VidPn sources.
  [[nodiscard]] UserDevice OpenDisplay() const;

  // The start of a generator of random work: `own` tells it from others of the rule, the rig's seed one run from another. With
  // kFirstSeed it is `own`.
  [[nodiscard]] std::uint32_t Seed(std::uint32_t own) const;

  [[nodiscard]] bool RenderSharesBackingStores() const { return static_cast<bool>(pair_.render->kmd_access); }

  // What the kernel reported of broken rules on either adapter so far; empty when nothing.
  [[nodiscard]] std::string Violations() const;

 private:
  [[nodiscard]] UserDevice Open(const DriverUnderTest& driver, LUID luid) const;
  void RequireSource() const;
  LUID Add(const DriverUnderTest& driver, kernel::Driver& loaded, BusDevice& device, const std::string& name);
  [[nodiscard]] kernel::Driver& Load(const DriverUnderTest& driver);

  const AdapterPair pair_;
  const RuleSetup setup_;
  const std::uint32_t seed_;
  const std::shared_ptr<RecordingOutput> output_;
  std::shared_ptr<RecordingOutput> second_output_;
  std::unique_ptr<BusDevice> render_device_;
  std::unique_ptr<BusDevice> display_device_;
  std::unique_ptr<BusDevice> twin_device_;
  std::unique_ptr<kernel::Kernel> kernel_;
  kernel::Driver* loaded_render_ = nullptr;
  LUID render_{};
  LUID display_{};
};

}  // namespace tandem::conform
