// tandem doctor on machines with one fault each; the line of the fault, and no other, changes.
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/unique_fd.h"
#include "tests/integration/compositors.h"
#include "tests/integration/patient.h"
#include "tests/integration/process.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

using Ids = std::vector<std::string>;

constexpr const char* kOwnManifest = "bin/share/vulkan/implicit_layer.d/VkLayer_tandem.json";
const std::string kModules = TANDEM_MODULES;

// The line `id` is broken, nothing else is, and its text has `words`.
void ExpectBroken(const Diagnosis& diagnosis, const std::string& id, const std::string& words) {
  EXPECT_EQ(diagnosis.process.exit_code, 1) << diagnosis.process.out << diagnosis.process.err;
  EXPECT_EQ(diagnosis.Broken(), Ids{id}) << diagnosis.process.out;
  EXPECT_NE(diagnosis.TextOf(id).find(words), std::string::npos) << diagnosis.TextOf(id);
}

void ExpectWarning(const Diagnosis& diagnosis, const std::string& id, const std::string& words) {
  EXPECT_EQ(diagnosis.process.exit_code, 0) << diagnosis.process.out << diagnosis.process.err;
  EXPECT_EQ(diagnosis.StateOf(id), "warning") << diagnosis.process.out;
  EXPECT_NE(diagnosis.TextOf(id).find(words), std::string::npos) << diagnosis.TextOf(id);
}

// A socket that takes connections and says nothing.
UniqueFd SilentSocket(const std::string& path) {
  UniqueFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  EXPECT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(listen(listener.get(), 4), 0);
  return listener;
}

TEST(Doctor, HealthyMachine_HasNoWarningBesideTheSession) {
  const Diagnosis diagnosis = Patient().Diagnose();
  EXPECT_EQ(diagnosis.process.exit_code, 0) << diagnosis.process.out << diagnosis.process.err;
  for (const char* const id : {"loader", "opengl", "layer", "node.renderD128", "node.card0", "udmabuf", "memlock",
                               "link.0000:01:00.0", "settings", "variables"}) {
    EXPECT_EQ(diagnosis.StateOf(id), "ok") << id << ": " << diagnosis.TextOf(id);
  }
  for (const auto& line : diagnosis.findings) {
    if (line["state"] == "ok") continue;
    EXPECT_TRUE(line["id"] == "session" || line["id"] == "seat") << line;
    EXPECT_TRUE(line["advice"].is_string()) << line;
  }
}

TEST(Doctor, LoaderThatIsNone_IsBroken) {
  Patient patient;
  patient.Write("libraries/libvulkan.so.1", "no library");
  patient.Set("LD_LIBRARY_PATH", patient.File("libraries"));
  ExpectBroken(patient.Diagnose(), "loader", "libvulkan.so.1");
}

TEST(Doctor, ZinkThatIsMissing_IsAWarningWithThePackage) {
  Patient patient;
  patient.Set("LIBGL_DRIVERS_PATH", "/nonexistent");
  const Diagnosis diagnosis = patient.Diagnose();
  ExpectWarning(diagnosis, "opengl", "without Tandem");
  EXPECT_NE(diagnosis.process.out.find("libgl1-mesa-dri"), std::string::npos) << diagnosis.process.out;
}

TEST(Doctor, OwnManifestMissing_IsBroken) {
  const Patient patient;
  patient.Remove(kOwnManifest);
  ExpectBroken(patient.Diagnose(), "layer", "build or install it together with the command");
}

TEST(Doctor, OwnManifestThatIsNoJson_IsBroken) {
  const Patient patient;
  patient.Write(kOwnManifest, "{ \"layer\": ");
  ExpectBroken(patient.Diagnose(), "layer", "It is no JSON object.");
}

TEST(Doctor, OwnManifestWithAWrongLibrary_IsBroken) {
  const Patient patient;
  patient.WriteLayer("bin/share", "VK_LAYER_TANDEM_present", "../../../libVkLayer_tandem.so");
  ExpectBroken(patient.Diagnose(), "layer", patient.File("bin/libVkLayer_tandem.so"));
}

TEST(Doctor, LayerOfAnotherVersion_IsBroken) {
  const Patient patient;
  patient.WriteLayer("bin/share", "VK_LAYER_TANDEM_present", kModules + "/other_layer.so");
  ExpectBroken(patient.Diagnose(), "layer", "is 0.0.9, and this command is ");
}

TEST(Doctor, LibraryThatIsNoLayer_IsBroken) {
  const Patient patient;
  patient.WriteLayer("bin/share", "VK_LAYER_TANDEM_present", TANDEM_DRIVER);
  ExpectBroken(patient.Diagnose(), "layer", "vkNegotiateLoaderLayerInterfaceVersion");
}

TEST(Doctor, OtherLayers_AreBelowWhereTheirFolderComesAfterTandems) {
  Patient patient;
  patient.Set("XDG_DATA_DIRS", patient.File("data") + ":" + patient.File("bin/share") + ":" + patient.File("late"));
  patient.WriteLayer("data", "VK_LAYER_TEST_first", kModules + "/other_layer.so");
  patient.WriteLayer("late", "VK_LAYER_TEST_last", kModules + "/other_layer.so");
  const Diagnosis diagnosis = patient.Diagnose();
  EXPECT_EQ(diagnosis.StateOf("layer.VK_LAYER_TEST_first"), "ok") << diagnosis.process.out;
  ExpectWarning(diagnosis, "layer.VK_LAYER_TEST_last", "stands between Tandem and the drivers");
  EXPECT_NE(diagnosis.TextOf("layer.VK_LAYER_TEST_last").find("NO_VK_LAYER_TEST_last=1"), std::string::npos);
  patient.Set("NO_VK_LAYER_TEST_last", "1");
  EXPECT_EQ(patient.Diagnose().StateOf("layer.VK_LAYER_TEST_last"), "ok");
}

TEST(Doctor, OtherLayersThatAreWrong_AreWarnings) {
  const Patient patient;
  patient.Write("data/vulkan/implicit_layer.d/nameless.json", "{}");
  patient.WriteLayer("data", "VK_LAYER_TEST_crash", kModules + "/crashes_at_load.so");
  patient.WriteLayer("data", "VK_LAYER_TEST_gone", "/nonexistent/liblayer.so");
  const Diagnosis diagnosis = patient.Diagnose();
  ExpectWarning(diagnosis, "layer.nameless", "It names no layer.");
  ExpectWarning(diagnosis, "layer.VK_LAYER_TEST_crash", "ended the probe's process by signal 6");
  ExpectWarning(diagnosis, "layer.VK_LAYER_TEST_gone", "No such file");
}

// The loader 1.3.239 stops at such a manifest, with each program; others may go on.
TEST(Doctor, ManifestOfAnotherLayerThatIsNoJson_IsBroken) {
  const Patient patient;
  patient.Write("data/vulkan/implicit_layer.d/torn.json", "{");
  const Diagnosis diagnosis = patient.Diagnose();
  EXPECT_EQ(diagnosis.process.exit_code, 1);
  EXPECT_EQ(diagnosis.StateOf("layer.torn"), "broken") << diagnosis.process.out;
  EXPECT_NE(diagnosis.TextOf("layer.torn").find("It is no JSON object."), std::string::npos) << diagnosis.TextOf("layer.torn");
}

TEST(Doctor, SecondManifestOfTandem_IsAWarning) {
  const Patient patient;
  patient.WriteLayer("home/.local/share", "VK_LAYER_TANDEM_present", TANDEM_LAYER);
  ExpectWarning(patient.Diagnose(), "layer.twice", patient.File("home/.local/share"));
}

TEST(Doctor, DriversThatDoNotWork_AreBrokenAndDoNotEndTheDoctor) {
  struct {
    const char* manifest;
    const char* words;
  } const cases[] = {
      {R"({"file_format_version": "1.0.0", "ICD": {"library_path": "/nonexistent/libicd.so", "api_version": "1.3.0"}})",
       "/nonexistent/libicd.so"},
      {R"({"file_format_version": "1.0.0", "ICD": )", "faulty.json"},
      {R"({"file_format_version": "1.0.0", "ICD": {"library_path": "MODULES/crashes_at_load.so", "api_version": "1.3.0"}})",
       "by signal 6"},
      {R"({"file_format_version": "1.0.0", "ICD": {"library_path": "MODULES/other_layer.so", "api_version": "1.3.0"}})",
       "other_layer.so"},
  };
  for (const auto& one : cases) {
    std::string manifest = one.manifest;
    if (const std::size_t at = manifest.find("MODULES"); at != std::string::npos) manifest.replace(at, 7, kModules);
    Patient patient;
    patient.UseDriver("faulty", manifest);
    const Diagnosis diagnosis = patient.Diagnose();
    EXPECT_EQ(diagnosis.process.exit_code, 1);
    EXPECT_EQ(diagnosis.Broken(), (Ids{"driver.faulty", "drivers"})) << diagnosis.process.out;
    EXPECT_NE(diagnosis.TextOf("driver.faulty").find(one.words), std::string::npos) << diagnosis.TextOf("driver.faulty");
  }
}

TEST(Doctor, NodesThatMayNotBeOpened_NameTheGroup) {
  if (!OthersMayRead(TANDEM_COMMAND)) GTEST_SKIP() << "Other users than root cannot read " << TANDEM_COMMAND << ".";
  Patient patient;
  patient.ActAsNobody();
  for (const char* const node : {"root/dev/dri/renderD128", "root/dev/dri/card0", "root/dev/udmabuf"})
    std::filesystem::permissions(patient.File(node), std::filesystem::perms::none);
  patient.Remove("root/run/seatd.sock");
  const Diagnosis diagnosis = patient.Diagnose();
  ExpectBroken(diagnosis, "node.renderD128", "usermod -aG render");
  EXPECT_EQ(diagnosis.StateOf("node.card0"), "warning");
  EXPECT_EQ(diagnosis.StateOf("seat"), "warning");
  EXPECT_EQ(diagnosis.StateOf("udmabuf"), "warning");
  EXPECT_NE(diagnosis.TextOf("udmabuf").find("Permission denied"), std::string::npos) << diagnosis.TextOf("udmabuf");
}

TEST(Doctor, NodeThatTheSandboxLacks_IsBroken) {
  const Patient patient;
  patient.Remove("root/dev/dri/renderD128");
  ExpectBroken(patient.Diagnose(), "node.renderD128", "not in /dev/dri");
}

TEST(Doctor, NoGpuAndNoUdmabuf_AreWarnings) {
  const Patient patient;
  patient.Remove("root/sys/class/drm/renderD128");
  patient.Remove("root/dev/udmabuf");
  const Diagnosis diagnosis = patient.Diagnose();
  ExpectWarning(diagnosis, "node.render", "no GPU that renders");
  ExpectWarning(diagnosis, "udmabuf", "modprobe udmabuf");
}

TEST(Doctor, NvidiaWithoutDrm_HasItsOwnNodesAndNoDmaBufs) {
  const Patient patient;
  patient.Remove("root/sys/class/drm/renderD128");
  patient.Write("root/dev/nvidia0", "");
  patient.Write("root/dev/nvidiactl", "");
  const Diagnosis diagnosis = patient.Diagnose();
  EXPECT_EQ(diagnosis.StateOf("node.nvidia0"), "ok") << diagnosis.process.out;
  ExpectWarning(diagnosis, "node.nvidia-drm", "shares no dma-bufs");
  for (const auto& line : diagnosis.findings) EXPECT_NE(line["id"], "node.render") << line;
}

TEST(Doctor, NarrowLink_IsAWarning_AndASlowOneIsNot) {
  const std::string gpu = "root/sys/bus/pci/devices/0000:01:00.0/";
  const Patient patient;
  patient.Write(gpu + "current_link_speed", "2.5 GT/s PCIe\n");
  EXPECT_EQ(patient.Diagnose().StateOf("link.0000:01:00.0"), "ok");
  patient.Write(gpu + "current_link_width", "4\n");
  ExpectWarning(patient.Diagnose(), "link.0000:01:00.0", "4 of 16 lanes");
}

TEST(Doctor, LowLimitOfLockedMemory_IsAWarning) {
  Patient patient;
  patient.Through({"prlimit", "--memlock=65536"});
  ExpectWarning(patient.Diagnose(), "memlock", "Only 64 KiB");
}

TEST(Doctor, FileOfSettings_IsBrokenWithFileAndLine) {
  const Patient patient;
  patient.Write("home/.config/tandem/tandem.toml", "[default]\nrender = \"0\"\nrendre = \"1\"\n");
  const std::string id = "settings." + patient.File("home/.config/tandem/tandem.toml") + ":3";
  ExpectBroken(patient.Diagnose(), id, "rendre");
}

TEST(Doctor, FileOfFeatures_IsBroken) {
  const Patient patient;
  patient.Write("home/.config/tandem/features.toml", "[all.SAMPLE\n");
  ExpectBroken(patient.Diagnose(), "settings.features", "features.toml");
}

TEST(Doctor, Variables_UnknownIsAWarning_WrongIsBroken) {
  Patient patient;
  patient.Set("TANDEM_REDNER", "0");
  ExpectWarning(patient.Diagnose(), "variable.TANDEM_REDNER", "Is TANDEM_RENDER meant?");
  patient.Set("TANDEM_PATH", "sideways");
  ExpectBroken(patient.Diagnose(), "variables", "sideways");
}

TEST(Doctor, EachVariableOfTheManual_IsKnown) {
  const ProcessResult names = RunProcess(
      {"sh", "-c", std::string("grep -ohE '^\\.It Ev TANDEM_[A-Z_]+' ") + TANDEM_SOURCE_DIR + "/docs/man/* | cut -d' ' -f3"}, {},
      20000);
  ASSERT_NE(names.out.find("TANDEM_LOG"), std::string::npos) << names.err;
  Patient patient;
  std::string rest = names.out;
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1)) {
    if (rest.substr(0, end) != "TANDEM_POLICY_ROOT") patient.Set(rest.substr(0, end), "0");
  }
  for (const auto& line : patient.Diagnose().findings)
    EXPECT_FALSE(line["id"].get<std::string>().starts_with("variable.")) << line;
}

TEST(Doctor, ServersThatDoNotAnswer_AreBroken) {
  Patient patient;
  patient.Set("DISPLAY", ":4711");
  ExpectBroken(patient.Diagnose(), "x11", "DISPLAY=:4711");
  patient.Set("DISPLAY", "");
  patient.Write("runtime/none", "");
  patient.Set("XDG_RUNTIME_DIR", patient.File("runtime"));
  patient.Set("WAYLAND_DISPLAY", "wayland-7");
  ExpectBroken(patient.Diagnose(), "wayland", "WAYLAND_DISPLAY=wayland-7");
}

TEST(Doctor, CompositorThatIsSilent_IsBrokenAfterTheLimit) {
  Patient patient;
  patient.Write("runtime/none", "");
  const UniqueFd silent = SilentSocket(patient.File("runtime/wayland-7"));
  patient.Set("XDG_RUNTIME_DIR", patient.File("runtime"));
  patient.Set("WAYLAND_DISPLAY", "wayland-7");
  ExpectBroken(patient.Diagnose(), "wayland", "gave no answer in 5.0 s");
}

TEST(Doctor, XServer_HasALineForEachExtension) {
  const auto server = XServer::Start();
  if (!server) GTEST_SKIP() << "Xvfb is not installed.";
  Patient patient;
  patient.Set("DISPLAY", server->display());
  const Diagnosis diagnosis = patient.Diagnose();
  EXPECT_EQ(diagnosis.process.exit_code, 0) << diagnosis.process.out;
  EXPECT_EQ(diagnosis.StateOf("x11"), "ok");
  EXPECT_EQ(diagnosis.StateOf("x11.Present"), "ok");
  EXPECT_EQ(diagnosis.StateOf("x11.MIT-SHM"), "ok");
  ExpectWarning(diagnosis, "x11.DRI3", "no dma-bufs");  // Xvfb has none
}

TEST(Doctor, Compositor_HasALineForEachProtocol) {
  std::string why;
  const auto weston = Compositor::Start(WestonPixman(), why);
  if (!weston) GTEST_SKIP() << why;
  Patient patient;
  for (const auto& [name, value] : weston->environment()) patient.Set(name, value);
  const Diagnosis diagnosis = patient.Diagnose();
  EXPECT_EQ(diagnosis.process.exit_code, 0) << diagnosis.process.out;
  EXPECT_EQ(diagnosis.StateOf("wayland"), "ok");
  EXPECT_EQ(diagnosis.StateOf("wayland.wp_presentation"), "ok");
  EXPECT_EQ(diagnosis.StateOf("wayland.wp_tearing_control_manager_v1"), "warning");  // Weston 10 has none
}

TEST(Doctor, KnownFaultOfAKernelDriver_IsNamed) {
  const Patient patient;
  std::filesystem::create_symlink("../../../drivers/vkms", patient.File("root/sys/class/drm/card0/device/driver"));
  const Diagnosis diagnosis = patient.Diagnose();
  EXPECT_EQ(diagnosis.StateOf("fault.vkms-offset"), "ok") << diagnosis.process.out;
  EXPECT_EQ(diagnosis.StateOf("fault.vkms-udmabuf"), "none") << "Linux 6.12 does not have it.";
}

TEST(Doctor, DriverOfAVirtioCard_StandsBelowItsPciDevice) {
  const Patient patient;
  const std::string device = patient.File("root/sys/class/drm/card0/device");
  std::filesystem::create_symlink("../../../drivers/virtio-pci", device + "/driver");
  std::filesystem::create_directories(device + "/virtio0");
  std::filesystem::create_symlink("../../../drivers/virtio_gpu", device + "/virtio0/driver");
  EXPECT_EQ(patient.Diagnose().StateOf("fault.virtio-gpu-offset"), "ok");
}

}  // namespace
}  // namespace tandem::test
