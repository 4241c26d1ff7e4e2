#include "codec/tile_decoder.h"

namespace tandem::codec {

TileSequence::TileSequence(TileContent content, std::uint32_t width, std::uint32_t height)
    : content_(content), width_(width), height_(height) {}

Result<void> TileSequence::Admit(const TileSliceHeader& header) {
  if (header.width != width_ || header.height != height_ || header.content != static_cast<std::uint8_t>(content_)) {
    return Fail(ErrorKind::kInvalidArgument, "A slice is of {} x {} samples of content {}; {} x {} of {} are expected.",
                header.width, header.height, header.content, width_, height_, static_cast<std::uint8_t>(content_));
  }
  if (under_way_ != 0 && header.frame != under_way_) {
    return Fail(ErrorKind::kInvalidArgument, "A slice of frame {} came while frame {} is under way.", header.frame, under_way_);
  }
  if (under_way_ == 0 && header.frame <= newest_) {
    return Fail(ErrorKind::kInvalidArgument, "A slice of frame {} came after frame {}.", header.frame, newest_);
  }
  if (header.reference != 0 && header.reference != held_) {
    return Fail(ErrorKind::kInvalidArgument, "A slice refers to frame {}, but frame {} is held.", header.reference, held_);
  }
  if (under_way_ != 0 && header.reference != reference_) {
    return Fail(ErrorKind::kInvalidArgument, "Slices of frame {} refer to frames {} and {}.", header.frame, reference_,
                header.reference);
  }
  const std::uint32_t end = std::uint32_t{header.first_row} + header.row_count;
  for (std::uint32_t row = header.first_row; row < end; ++row) {
    if (under_way_ != 0 && rows_[row]) {
      return Fail(ErrorKind::kInvalidArgument, "Tile row {} of frame {} came twice.", row, header.frame);
    }
  }
  if (under_way_ == 0) {
    rows_.reset();
    rows_there_ = 0;
    under_way_ = header.frame;
    reference_ = header.reference;
    newest_ = header.frame;
  }
  for (std::uint32_t row = header.first_row; row < end; ++row) rows_[row] = true;
  rows_there_ += header.row_count;
  return {};
}

bool TileSequence::FinishIfComplete() {
  if (under_way_ == 0 || rows_there_ != TilesAcross(height_)) return false;
  held_ = under_way_;
  under_way_ = 0;
  return true;
}

void TileSequence::Abandon(Held held) {
  under_way_ = 0;
  if (held == Held::kOverwritten) held_ = 0;
}

}  // namespace tandem::codec
