// Loads libarchive when one of its functions is first called: nothing to include.
#pragma once
