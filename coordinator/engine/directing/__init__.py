"""What a director may decide of any running match but a ladder, which has rulings of its own."""
