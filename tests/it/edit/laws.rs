//! Laws of the edit engine, on texts that nobody would think of.
