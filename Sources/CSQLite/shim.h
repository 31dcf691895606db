#pragma once
#include <sqlite3.h>

/// Makes a text in double quotes always a name, never a string: `sqlite3_db_config` is variadic, which Swift cannot call.
static inline void csqlite_refuse_double_quoted_strings(sqlite3 *connection) {
#ifdef SQLITE_DBCONFIG_DQS_DDL
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (void *)0);
#endif
}

/// Turns the triggers of a connection off or on; prepared statements follow.
static inline int csqlite_enable_triggers(sqlite3 *connection, int isOn) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, isOn, (int *)0);
}
