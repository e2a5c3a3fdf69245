package wire

func fastOpenAI(data []byte, ev *event) bool { return false }
