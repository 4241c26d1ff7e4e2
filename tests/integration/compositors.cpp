#include "tests/integration/compositors.h"

#include <csignal>
#include <fstream>
#include <iterator>

#include <sys/stat.h>
#include <unistd.h>

namespace tandem::test {
namespace {

constexpr char kWestonShot[] =
    "cd $XDG_RUNTIME_DIR && rm -f wayland-screenshot-*.png && weston-screenshooter && convert wayland-screenshot-*.png "
    "ppm:shot.ppm";
constexpr char kWestonOptions[] = " --socket=wayland-1 --debug --shell=desktop-shell.so --idle-time=0 --log=$XDG_RUNTIME_DIR/log";

CompositorKind Weston(const std::string& name, const std::string& options, const std::string& photograph) {
  return {name, {"weston", "weston-screenshooter", "convert"}, "exec weston " + options + kWestonOptions, photograph};
}

}  // namespace

CompositorKind Sway() {
  return {"sway",
          {"sway", "grim", "setpriv"},
          "echo 'output * mode 640x480 bg #000000 solid_color\nxwayland disable\ndefault_border none' >$XDG_RUNTIME_DIR/config; "
          "WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 exec sway -c $XDG_RUNTIME_DIR/config "
          "2>$XDG_RUNTIME_DIR/log",
          "grim -t ppm $XDG_RUNTIME_DIR/shot.ppm",
          false};
}

CompositorKind WestonPixman() {
  return Weston("weston", "--backend=headless-backend.so --use-pixman --width=640 --height=480", kWestonShot);
}

CompositorKind WestonGl() {
  return Weston("weston with GL", "--backend=headless-backend.so --use-gl --width=640 --height=480", kWestonShot);
}

CompositorKind Kwin() {
  // The picture comes through a pipe whose end is a D-Bus argument.
  return {"kwin",
          {"kwin_wayland", "dbus-daemon", "/usr/bin/python3"},
          "export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus; dbus-daemon --session --fork --nopidfile "
          "--address=$DBUS_SESSION_BUS_ADDRESS; KWIN_SCREENSHOT_NO_PERMISSION_CHECKS=1 exec kwin_wayland --virtual --width 640 "
          "--height 480 --no-lockscreen --no-global-shortcuts --socket wayland-1 2>$XDG_RUNTIME_DIR/log",
          "DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus /usr/bin/python3 " TANDEM_SOURCE_DIR
          "/tests/integration/kwin_screenshot.py $XDG_RUNTIME_DIR/shot.ppm"};
}

CompositorKind WestonOnCard(const std::string& card, const std::string& screen) {
  CompositorKind kind = Weston("weston on " + card, "", kWestonShot);
  kind.start =
      "for number in 1 2 3; do printf '[output]\\nname=Virtual-%s\\nmode=640x480\\n' $number; done >$XDG_RUNTIME_DIR/weston.ini; "
      "exec weston --config=$XDG_RUNTIME_DIR/weston.ini --backend=drm-backend.so --drm-device=" +
      card + " --use-pixman --continue-without-input --tty=3" + kWestonOptions;
  if (!screen.empty()) kind.photograph = "$TANDEM_VM_SCREENDUMP " + screen + " $XDG_RUNTIME_DIR/shot.ppm";
  return kind;
}

std::optional<std::string> MissingProgram(const CompositorKind& kind) {
  for (const std::string& program : kind.programs) {
    if (RunProcess({"sh", "-c", "command -v " + program}, {}, 10'000).exit_code != 0) return program;
  }
  return std::nullopt;
}

std::unique_ptr<Compositor> Compositor::Start(const CompositorKind& kind, std::string& why) {
  auto compositor = std::unique_ptr<Compositor>(new Compositor(kind));
  const std::string socket = compositor->folder_.File("wayland-1");
  // "ready" is printed once the socket exists; the process itself becomes the compositor.
  const std::string start = "(until [ -S " + socket + " ]; do sleep 0.02; done; echo ready) & " + kind.start;
  std::vector<std::string> argv{"sh", "-c", start};
  if (!kind.root && getuid() == 0) {
    chmod(compositor->folder_.File("").c_str(), 0777);
    argv.insert(argv.begin(), {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  }
  compositor->process_ = std::make_unique<Process>(argv, Environment{{"XDG_RUNTIME_DIR", compositor->folder_.File("")},
                                                                     {"WAYLAND_DISPLAY", ""},
                                                                     {"DISPLAY", ""},
                                                                     {"HOME", compositor->folder_.File("")}});
  if (compositor->process_->WaitForOutput("ready", 120'000)) return compositor;
  why = kind.name + " did not start: " + compositor->log();
  return nullptr;
}

Compositor::~Compositor() {
  if (process_ == nullptr) return;
  process_->Kill(SIGTERM);
  static_cast<void>(process_->Wait(10'000));
}

Environment Compositor::environment() const {
  return {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", "wayland-1"}, {"XDG_RUNTIME_DIR", folder_.File("")}};
}

std::optional<ScreenPicture> Compositor::Photograph() const {
  if (RunProcess({"sh", "-c", kind_.photograph}, environment(), 60'000).exit_code != 0) return std::nullopt;
  return ReadPpm(folder_.File("shot.ppm"));
}

std::string Compositor::log() const {
  std::ifstream file(folder_.File("log"));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tandem::test
