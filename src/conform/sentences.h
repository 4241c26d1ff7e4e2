// Texts of several sentences.
#pragma once

#include <string>
#include <string_view>

namespace tandem::conform {

// Adds `sentence`, behind a space where there is a text before; an empty one adds nothing.
inline void AppendSentence(std::string& text, std::string_view sentence) {
  if (!text.empty() && !sentence.empty()) text += ' ';
  text += sentence;
}

}  // namespace tandem::conform
