// A slot, counted so that each branch runs from where it begins to where it ends, and back.
uint turned(uint slot) { return split != 0u ? count - 1u - slot : slot; }
