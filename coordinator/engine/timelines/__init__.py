"""When the next seating happens. Each timeline answers what must follow from an event of its stage."""
