// Loads libxml2 when one of its functions is first called: nothing to include.
#pragma once
