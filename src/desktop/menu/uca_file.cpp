#include "desktop/menu/uca_file.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <gio/gio.h>

#include "desktop/entries/glib_owner.h"

namespace tandem::desktop {
namespace {

constexpr char kIdPrefix[] = "X-Tandem-menu-";
constexpr char kFileTypes[] = "*.desktop;*.AppImage;*.x86_64";

struct Range {
  std::size_t begin;
  std::size_t end;
};

// GMarkup gets one byte at a time, so that a callback belongs to the tag that ends at or just before the byte.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<void> Read(std::string_view file) {
    static const GMarkupParser kParser = {&Reader::OnStart, &Reader::OnEnd, &Reader::OnText, nullptr, nullptr};
    GMarkupParseContext* const context = g_markup_parse_context_new(&kParser, G_MARKUP_TREAT_CDATA_AS_TEXT, this, nullptr);
    GError* error = nullptr;
    bool read = true;
    for (at_ = 0; at_ < text_.size() && read; ++at_) {
      read = g_markup_parse_context_parse(context, text_.data() + at_, 1, &error) != FALSE;
    }
    if (read) read = g_markup_parse_context_end_parse(context, &error) != FALSE;
    g_markup_parse_context_free(context);
    if (!read) return Fail(ErrorKind::kUnsupported, "{} cannot be read: {}.", file, MessageOf(error));
    if (!end_) return Fail(ErrorKind::kUnsupported, "{} has no list of actions.", file);
    return {};
  }

  [[nodiscard]] const std::vector<Range>& ours() const { return ours_; }
  [[nodiscard]] std::size_t end() const { return *end_; }

 private:
  static void OnStart(GMarkupParseContext*, const gchar* name, const gchar**, const gchar**, gpointer self, GError**) {
    static_cast<Reader*>(self)->Start(name);
  }
  static void OnEnd(GMarkupParseContext*, const gchar* name, gpointer self, GError**) { static_cast<Reader*>(self)->End(name); }
  static void OnText(GMarkupParseContext*, const gchar* text, gsize bytes, gpointer self, GError**) {
    auto& reader = *static_cast<Reader*>(self);
    if (reader.path_.size() == 3 && reader.path_.back() == "unique-id") reader.id_.append(text, bytes);
  }

  // The '<' of the tag that was read last.
  [[nodiscard]] std::size_t TagBegin() const { return text_.rfind('<', Last()); }
  // Behind the '>' of that tag.
  [[nodiscard]] std::size_t TagEnd() const { return text_.rfind('>', Last()) + 1; }
  // A callback may come with the byte behind the tag, which may begin another.
  [[nodiscard]] std::size_t Last() const { return at_ < text_.size() && text_[at_] == '>' ? at_ : at_ - 1; }

  void Start(std::string_view name) {
    path_.emplace_back(name);
    if (path_.size() != 2) return;
    begin_ = TagBegin();
    id_.clear();
  }
  void End(std::string_view name) {
    if (path_.size() == 2 && path_[0] == "actions" && name == "action" && id_.starts_with(kIdPrefix)) {
      ours_.push_back({begin_, TagEnd()});
    }
    // "<actions/>" has no room.
    if (path_.size() == 1 && name == "actions" && text_.substr(TagBegin()).starts_with("</")) end_ = TagBegin();
    path_.pop_back();
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> path_;
  std::string id_;
  std::size_t begin_ = 0;
  std::vector<Range> ours_;
  std::optional<std::size_t> end_;
};

std::string ActionText(const UcaAction& action, std::size_t number) {
  const GlibText text(
      g_markup_printf_escaped("<action>\n"
                              "\t<icon>tandem</icon>\n"
                              "\t<name>%s</name>\n"
                              "\t<submenu>Tandem</submenu>\n"
                              "\t<unique-id>%s%u</unique-id>\n"
                              "\t<command>%s</command>\n"
                              "\t<description>%s</description>\n"
                              "\t<range>1</range>\n"
                              "\t<patterns>%s</patterns>\n"
                              "\t<other-files/>\n"
                              "\t<text-files/>\n"
                              "</action>\n",
                              action.name.c_str(), kIdPrefix, static_cast<unsigned>(number), action.command.c_str(),
                              action.description.c_str(), kFileTypes));
  return text.get();
}

}  // namespace

std::string EmptyUcaFile() { return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<actions>\n</actions>\n"; }

Result<std::string> WithoutUcaActions(std::string_view text, std::string_view file) {
  Reader reader(text);
  if (auto read = reader.Read(file); !read.ok()) return std::move(read).error();
  std::string without;
  std::size_t from = 0;
  for (const Range& range : reader.ours()) {
    without += text.substr(from, range.begin - from);
    from = range.end + (text.substr(range.end).starts_with('\n') ? 1 : 0);
  }
  return without += text.substr(from);
}

Result<std::string> WithUcaActions(std::string_view text, std::string_view file, std::span<const UcaAction> actions) {
  auto without = WithoutUcaActions(text, file);
  if (!without.ok()) return without;
  Reader reader(*without);
  if (auto read = reader.Read(file); !read.ok()) return std::move(read).error();
  std::string ours;
  for (std::size_t i = 0; i < actions.size(); ++i) ours += ActionText(actions[i], i);
  return without->insert(reader.end(), ours);
}

}  // namespace tandem::desktop
