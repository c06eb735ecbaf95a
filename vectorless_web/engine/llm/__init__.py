"""Access to a chat model, as the engine sees it: a protocol and a scripted double."""
