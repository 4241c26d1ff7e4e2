#include "desktop/window/window.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtk/gtk.h>

#include "base/clock.h"
#include "config/policy/policy_edit.h"
#include "config/policy/policy_folders.h"
#include "config/settings.h"
#include "desktop/common/gpu_list.h"
#include "desktop/window/window_rows.h"
#include "status/live_folder.h"
#include "system/system.h"

namespace tandem::desktop {
namespace {

constexpr guint kRefreshMs = 500;
constexpr int kMargin = 12;
// In the order of the choice; config::Use has no "for now".
constexpr std::array kUses = {config::Use::kAlways, config::Use::kWhenLaunched, config::Use::kNever};
constexpr const char* kUseTexts[] = {"Always with Tandem", "When launched with Tandem", "Never with Tandem", nullptr};

GtkWidget* MakeLabel(const std::string& text, const char* css_class) {
  GtkWidget* const label = gtk_label_new(text.c_str());
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_widget_set_hexpand(label, TRUE);
  if (css_class != nullptr) gtk_widget_add_css_class(label, css_class);
  return label;
}

GtkWidget* MakeBox(GtkOrientation orientation) {
  GtkWidget* const box = gtk_box_new(orientation, 6);
  gtk_widget_set_margin_top(box, kMargin);
  gtk_widget_set_margin_bottom(box, kMargin);
  gtk_widget_set_margin_start(box, kMargin);
  gtk_widget_set_margin_end(box, kMargin);
  return box;
}

GtkWidget* MakeList(const char* empty) {
  GtkWidget* const list = gtk_list_box_new();
  gtk_list_box_set_selection_mode(GTK_LIST_BOX(list), GTK_SELECTION_NONE);
  GtkWidget* const placeholder = MakeBox(GTK_ORIENTATION_VERTICAL);
  gtk_box_append(GTK_BOX(placeholder), MakeLabel(empty, "dim-label"));
  gtk_list_box_set_placeholder(GTK_LIST_BOX(list), placeholder);
  return list;
}

void Clear(GtkWidget* list) {
  while (GtkWidget* const row = gtk_widget_get_first_child(list)) {
    // The placeholder is a child, too, and the last one.
    if (!GTK_IS_LIST_BOX_ROW(row)) return;
    gtk_list_box_remove(GTK_LIST_BOX(list), row);
  }
}

void Fill(GtkWidget* list, const std::vector<WindowRow>& rows) {
  Clear(list);
  for (const WindowRow& row : rows) {
    GtkWidget* const box = MakeBox(GTK_ORIENTATION_VERTICAL);
    gtk_box_append(GTK_BOX(box), MakeLabel(row.title, "heading"));
    gtk_box_append(GTK_BOX(box), MakeLabel(row.detail, "dim-label"));
    gtk_list_box_append(GTK_LIST_BOX(list), box);
  }
}

GtkWidget* InScroller(GtkWidget* child) {
  GtkWidget* const scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), child);
  gtk_widget_set_vexpand(scroller, TRUE);
  return scroller;
}

// Lives as long as the application; everything runs on the main thread.
class Window {
 public:
  explicit Window(GtkApplication* application);

 private:
  // One row of the list of programs; owned by its widget.
  struct Editor {
    Window* window;
    ProgramRow row;
    GtkDropDown* use;
    GtkDropDown* render;
  };

  static gboolean OnTimer(gpointer self) {
    static_cast<Window*>(self)->Refresh();
    return G_SOURCE_CONTINUE;
  }
  static void OnChanged(GObject*, GParamSpec*, gpointer editor) {
    const auto& changed = *static_cast<Editor*>(editor);
    changed.window->Change(changed);
  }
  static void OnAdd(GtkWidget*, gpointer self) { static_cast<Window*>(self)->Add(); }
  static void DeleteEditor(gpointer editor) { delete static_cast<Editor*>(editor); }

  void Refresh();
  void ShowPrograms();
  void AddProgramRow(const ProgramRow& row);
  void Change(const Editor& editor);
  void Add();
  void Say(const Result<std::string>& done);
  GtkWidget* MakeProgramsPage();

  std::vector<config::AdapterInfo> adapters_;
  std::vector<Gpu> gpus_;
  std::optional<std::vector<WindowRow>> running_rows_;
  std::vector<ProgramRow> program_rows_;
  GtkWidget* running_ = nullptr;
  GtkWidget* programs_ = nullptr;
  GtkWidget* entry_ = nullptr;
  GtkWidget* said_ = nullptr;
};

Window::Window(GtkApplication* application) {
  const auto system = system::System::Create(config::Settings{});
  if (system.ok()) adapters_ = (*system)->adapters();
  gpus_ = GpusFrom(adapters_);

  GtkWidget* const adapters = MakeList(system.ok() ? "There is no adapter." : system.error().message.c_str());
  Fill(adapters, AdapterRows(adapters_));
  running_ = MakeList("No program shows frames through Tandem now.");
  GtkWidget* const stack = gtk_stack_new();
  gtk_stack_add_titled(GTK_STACK(stack), InScroller(running_), "running", "Running");
  gtk_stack_add_titled(GTK_STACK(stack), MakeProgramsPage(), "programs", "Programs");
  gtk_stack_add_titled(GTK_STACK(stack), InScroller(adapters), "adapters", "Adapters");
  GtkWidget* const switcher = gtk_stack_switcher_new();
  gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(switcher), GTK_STACK(stack));
  GtkWidget* const bar = gtk_header_bar_new();
  gtk_header_bar_set_title_widget(GTK_HEADER_BAR(bar), switcher);

  GtkWidget* const window = gtk_application_window_new(application);
  gtk_window_set_title(GTK_WINDOW(window), "Tandem");
  gtk_window_set_icon_name(GTK_WINDOW(window), "tandem");
  gtk_window_set_default_size(GTK_WINDOW(window), 640, 420);
  gtk_window_set_titlebar(GTK_WINDOW(window), bar);
  gtk_window_set_child(GTK_WINDOW(window), stack);
  Refresh();
  ShowPrograms();
  g_timeout_add(kRefreshMs, &OnTimer, this);
  gtk_window_present(GTK_WINDOW(window));
}

GtkWidget* Window::MakeProgramsPage() {
  programs_ = MakeList("No program has a choice of yours yet.");
  entry_ = gtk_entry_new();
  gtk_entry_set_placeholder_text(GTK_ENTRY(entry_), "vkcube, steam:440, org.example.Game.desktop, /opt/game/*");
  gtk_widget_set_hexpand(entry_, TRUE);
  g_signal_connect(entry_, "activate", G_CALLBACK(&OnAdd), this);
  GtkWidget* const button = gtk_button_new_with_label("Add");
  g_signal_connect(button, "clicked", G_CALLBACK(&OnAdd), this);
  GtkWidget* const line = MakeBox(GTK_ORIENTATION_HORIZONTAL);
  gtk_box_append(GTK_BOX(line), entry_);
  gtk_box_append(GTK_BOX(line), button);
  said_ = MakeLabel("", "dim-label");
  gtk_widget_set_margin_start(said_, kMargin);
  gtk_widget_set_margin_bottom(said_, kMargin);
  GtkWidget* const page = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append(GTK_BOX(page), InScroller(programs_));
  gtk_box_append(GTK_BOX(page), line);
  gtk_box_append(GTK_BOX(page), said_);
  return page;
}

void Window::Refresh() {
  const auto found = status::ListLivePrograms(status::LiveFolder());
  std::vector<WindowRow> rows;
  if (found.ok()) rows = RunningRows(*found, MonotonicClock().NowNs());
  if (running_rows_ == rows) return;
  Fill(running_, rows);
  running_rows_ = std::move(rows);
}

void Window::ShowPrograms() {
  const auto files = config::ReadPolicyFiles(config::PolicyFoldersHere());
  auto rows = ProgramRows(files);
  Clear(programs_);
  for (const ProgramRow& row : rows) AddProgramRow(row);
  program_rows_ = std::move(rows);
}

void Window::AddProgramRow(const ProgramRow& row) {
  std::vector<const char*> adapters{"Automatic"};
  guint chosen = 0;
  for (const Gpu& gpu : gpus_) {
    if (!row.render.empty() && gpu.selector == row.render) chosen = static_cast<guint>(adapters.size());
    adapters.push_back(gpu.name.c_str());
  }
  // A selector of the user's own words stays as it is.
  if (!row.render.empty() && chosen == 0) {
    chosen = static_cast<guint>(adapters.size());
    adapters.push_back(row.render.c_str());
  }
  adapters.push_back(nullptr);
  auto editor = std::make_unique<Editor>(Editor{this, row, GTK_DROP_DOWN(gtk_drop_down_new_from_strings(kUseTexts)),
                                                GTK_DROP_DOWN(gtk_drop_down_new_from_strings(adapters.data()))});
  gtk_drop_down_set_selected(editor->use, static_cast<guint>(std::ranges::find(kUses, row.use) - kUses.begin()));
  gtk_drop_down_set_selected(editor->render, chosen);
  GtkWidget* const box = MakeBox(GTK_ORIENTATION_HORIZONTAL);
  gtk_box_append(GTK_BOX(box), MakeLabel(row.program, "heading"));
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(editor->use));
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(editor->render));
  gtk_list_box_append(GTK_LIST_BOX(programs_), box);
  g_signal_connect(editor->use, "notify::selected", G_CALLBACK(&OnChanged), editor.get());
  g_signal_connect(editor->render, "notify::selected", G_CALLBACK(&OnChanged), editor.get());
  g_object_set_data_full(G_OBJECT(box), "editor", editor.release(), &DeleteEditor);
}

void Window::Change(const Editor& editor) {
  const guint adapter = gtk_drop_down_get_selected(editor.render);
  std::string render;
  if (adapter > gpus_.size()) render = editor.row.render;
  if (adapter > 0 && adapter <= gpus_.size()) render = gpus_[adapter - 1].selector;
  const guint use = gtk_drop_down_get_selected(editor.use);
  Say(config::ChangeProgramChoice({editor.row.program, use < kUses.size() ? kUses[use] : editor.row.use, render}));
}

void Window::Add() {
  const std::string program = gtk_editable_get_text(GTK_EDITABLE(entry_));
  if (program.empty()) return;
  const auto added = config::AllowProgram(program, std::nullopt);
  Say(added);
  if (!added.ok()) return;
  gtk_editable_set_text(GTK_EDITABLE(entry_), "");
  ShowPrograms();
}

void Window::Say(const Result<std::string>& done) {
  const std::string text = done.ok() ? "Written to " + *done + "." : done.error().message;
  gtk_label_set_text(GTK_LABEL(said_), text.c_str());
}

void OnActivate(GtkApplication* application, gpointer window) {
  auto& shown = *static_cast<std::unique_ptr<Window>*>(window);
  if (shown == nullptr) {
    shown = std::make_unique<Window>(application);
  } else if (GtkWindow* const first = gtk_application_get_active_window(application); first != nullptr) {
    gtk_window_present(first);
  }
}

}  // namespace

int ShowWindow(int argc, char** argv) {
  std::unique_ptr<Window> window;
  GtkApplication* const application = gtk_application_new("org.tandem.Window", static_cast<GApplicationFlags>(0));
  g_signal_connect(application, "activate", G_CALLBACK(&OnActivate), &window);
  const int code = g_application_run(G_APPLICATION(application), argc, argv);
  g_object_unref(application);
  return code;
}

}  // namespace tandem::desktop
