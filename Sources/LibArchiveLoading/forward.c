// Loads libarchive when one of its functions is first called. A new function that ArchiveIO calls needs a line here.
#if __linux__
#include <LibraryLoading.h>

#pragma GCC visibility push(hidden)
#include <archive.h>
#include <archive_entry.h>

#define LIBRARY "libarchive.so.13"

FORWARD(mode_t, archive_entry_filetype, (struct archive_entry *a), (a))
FORWARD(void, archive_entry_free, (struct archive_entry *a), (a))
FORWARD(const char *, archive_entry_hardlink, (struct archive_entry *a), (a))
FORWARD(int, archive_entry_is_encrypted, (struct archive_entry *a), (a))
FORWARD(struct archive_entry *, archive_entry_new, (void), ())
FORWARD(const char *, archive_entry_pathname, (struct archive_entry *a), (a))
FORWARD(void, archive_entry_set_filetype, (struct archive_entry *a, unsigned int b), (a, b))
FORWARD(void, archive_entry_set_pathname_utf8, (struct archive_entry *a, const char *b), (a, b))
FORWARD(void, archive_entry_set_perm, (struct archive_entry *a, mode_t b), (a, b))
FORWARD(void, archive_entry_set_size, (struct archive_entry *a, la_int64_t b), (a, b))
FORWARD(la_int64_t, archive_entry_size, (struct archive_entry *a), (a))
FORWARD(int, archive_entry_size_is_set, (struct archive_entry *a), (a))
FORWARD(int, archive_entry_sparse_reset, (struct archive_entry *a), (a))
FORWARD(const char *, archive_error_string, (struct archive *a), (a))
FORWARD(la_int64_t, archive_filter_bytes, (struct archive *a, int b), (a, b))
FORWARD(int, archive_read_append_filter, (struct archive *a, int b), (a, b))
FORWARD(la_ssize_t, archive_read_data, (struct archive *a, void *b, size_t c), (a, b, c))
FORWARD(int, archive_read_data_skip, (struct archive *a), (a))
FORWARD(int, archive_read_free, (struct archive *a), (a))
FORWARD(struct archive *, archive_read_new, (void), ())
FORWARD(int, archive_read_next_header, (struct archive *a, struct archive_entry **b), (a, b))
FORWARD(int, archive_read_open1, (struct archive *a), (a))
FORWARD(int, archive_read_set_callback_data, (struct archive *a, void *b), (a, b))
FORWARD(int, archive_read_set_read_callback, (struct archive *a, archive_read_callback *b), (a, b))
FORWARD(int, archive_read_set_seek_callback, (struct archive *a, archive_seek_callback *b), (a, b))
FORWARD(int, archive_read_support_format_empty, (struct archive *a), (a))
FORWARD(int, archive_read_support_format_raw, (struct archive *a), (a))
FORWARD(int, archive_read_support_format_tar, (struct archive *a), (a))
FORWARD(int, archive_read_support_format_zip_seekable, (struct archive *a), (a))
FORWARD(int, archive_write_add_filter_zstd, (struct archive *a), (a))
FORWARD(int, archive_write_close, (struct archive *a), (a))
FORWARD(la_ssize_t, archive_write_data, (struct archive *a, const void *b, size_t c), (a, b, c))
FORWARD(int, archive_write_fail, (struct archive *a), (a))
FORWARD(int, archive_write_finish_entry, (struct archive *a), (a))
FORWARD(int, archive_write_free, (struct archive *a), (a))
FORWARD(int, archive_write_header, (struct archive *a, struct archive_entry *b), (a, b))
FORWARD(struct archive *, archive_write_new, (void), ())
FORWARD(
    int, archive_write_open2,
    (struct archive *a, void *b, archive_open_callback *c, archive_write_callback *d, archive_close_callback *e,
     archive_free_callback *f),
    (a, b, c, d, e, f)
)
FORWARD(int, archive_write_set_bytes_in_last_block, (struct archive *a, int b), (a, b))
FORWARD(int, archive_write_set_bytes_per_block, (struct archive *a, int b), (a, b))
FORWARD(
    int, archive_write_set_filter_option,
    (struct archive *a, const char *b, const char *c, const char *d),
    (a, b, c, d)
)
FORWARD(
    int, archive_write_set_format_option,
    (struct archive *a, const char *b, const char *c, const char *d),
    (a, b, c, d)
)
FORWARD(int, archive_write_set_format_pax_restricted, (struct archive *a), (a))
FORWARD(int, archive_write_set_format_raw, (struct archive *a), (a))
FORWARD(int, archive_write_set_format_zip, (struct archive *a), (a))
#endif
