// A field whose text stands in the address. What is typed goes there a moment later; where the address changes by another way (back, a link, a saved view,
// "Clear filters") the field follows, and what was about to be written is not.

import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

type TypedText = {
  typed: string
  type(text: string): void
  /** Without waiting; by another way where one is given. */ send(text: string, write?: () => void): void
}

/** `text`: as the address has it. `bare`: nothing else narrows the page either. */
export function useTypedText(text: string, bare: boolean, write: (text: string) => void, waitMilliseconds: number): TypedText {
  const [typed, setTyped] = useState(text)
  const sent = useRef(text)
  const before = useRef({ text, bare })
  const put = (next: string, writeIt = () => write(next)): void => {
    sent.current = next
    writeIt()
  }
  const later = useDebouncedCallback((next: string) => put(next), waitMilliseconds)
  useEffect(() => {
    // All was cleared, but the text was not there yet.
    const cleared = bare && !before.current.bare && before.current.text === text
    before.current = { text, bare }
    if (text === sent.current && !cleared) return
    sent.current = text
    later.cancel()
    setTyped(text)
  }, [text, bare, later])
  return {
    typed,
    type(next) {
      setTyped(next)
      later(next)
    },
    send(next, writeIt) {
      later.cancel()
      setTyped(next)
      put(next, writeIt)
    },
  }
}
