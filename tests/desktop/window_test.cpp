// tandem-window on a virtual display, worked by xdotool.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/desktop/private_bus.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

std::string TextOf(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(TandemWindow, ProgramThatIsTyped_StandsInTheUsersFile) {
  if (!std::filesystem::exists(TANDEM_WINDOW)) GTEST_SKIP() << "tandem-window is not built, because gtk4 is not installed.";
  if (!IsInstalled("xdotool")) GTEST_SKIP() << "xdotool is not installed.";
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const auto bus = PrivateBus::Start("");
  if (bus == nullptr) GTEST_SKIP() << "dbus-daemon is not installed.";
  const ScratchFolder folder;
  const std::string file = folder.File("tandem/tandem.toml");
  std::filesystem::create_directories(folder.File("tandem"));
  std::ofstream(file) << "# mine\n[app.other]\nuse = \"never\"\n";
  Environment environment = WithDrivers(VulkanDrivers());
  environment.insert(environment.end(), {{"DISPLAY", server->display()},
                                         {"WAYLAND_DISPLAY", ""},
                                         {"DBUS_SESSION_BUS_ADDRESS", bus->address()},
                                         {"XDG_CONFIG_HOME", folder.File("")},
                                         {"XDG_RUNTIME_DIR", folder.File("")},
                                         {"GSK_RENDERER", "cairo"},
                                         {"GTK_A11Y", "none"},
                                         {"GDK_BACKEND", "x11"}});
  Process window({TANDEM_WINDOW}, environment);
  const ProcessResult found =
      RunProcess({"timeout", "30", "xdotool", "search", "--sync", "--onlyvisible", "--name", "^Tandem$"}, environment, 40000);
  ASSERT_EQ(found.exit_code, 0) << window.Wait(0).err;
  // A click on a page that is not laid out yet is lost, so that it is all done again until the file has changed.
  std::string text;
  for (int attempt = 0; attempt < 40 && text.find("racer") == std::string::npos; ++attempt) {
    static_cast<void>(RunProcess({"xdotool", "mousemove", "330", "25", "click", "1", "sleep", "0.3", "mousemove", "400", "358",
                                  "click", "1", "key", "ctrl+a", "type", "racer"},
                                 environment, 20000));
    static_cast<void>(RunProcess({"xdotool", "key", "Return", "sleep", "0.3"}, environment, 20000));
    text = TextOf(file);
  }
  EXPECT_NE(text.find("[app.\"racer\"]\nuse = \"always\"\n"), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("# mine\n[app.other]\nuse = \"never\"\n")) << text;
}

}  // namespace
}  // namespace tandem::test
