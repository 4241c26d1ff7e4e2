// A machine for `tandem doctor`: folders of its own in place of /dev, /sys and /etc, and faults that a test plants there.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/integration/tandem_run.h"

namespace tandem::test {

struct Diagnosis {
  ProcessResult process;
  nlohmann::json findings;  // an array; empty if the output is no JSON

  // "ok", "warning", "broken" or, without such a line, "none".
  [[nodiscard]] std::string StateOf(const std::string& id) const;
  // The text and the advice of the line.
  [[nodiscard]] std::string TextOf(const std::string& id) const;
  // Every line's id that is broken.
  [[nodiscard]] std::vector<std::string> Broken() const;
};

// Healthy until a test changes it: one GPU at 0000:01:00.0 with a render node and a card, a seat, udmabuf, lavapipe, and a copy
// of the command with its layer.
class Patient {
 public:
  Patient();

  [[nodiscard]] std::string File(const std::string& name) const { return folder_.File(name); }
  // Folders are made.
  void Write(const std::string& name, const std::string& text) const;
  void Remove(const std::string& name) const;
  // The manifest of a layer below `data`, a data directory in this folder.
  void WriteLayer(const std::string& data, const std::string& name, const std::string& library) const;
  // A Vulkan driver's manifest, the only one.
  void UseDriver(const std::string& name, const std::string& manifest);
  void Set(const std::string& variable, const std::string& value) { environment_.emplace_back(variable, value); }
  // Words before the command, such as {"prlimit", "--memlock=65536"}.
  void Through(std::vector<std::string> words) { before_ = std::move(words); }
  // Another user than root, whom modes of files concern.
  void ActAsNobody();

  [[nodiscard]] Diagnosis Diagnose() const;

 private:
  ScratchFolder folder_;
  Environment environment_;
  std::vector<std::string> before_;
};

}  // namespace tandem::test
