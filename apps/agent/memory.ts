// What the agent keeps between two starts: where its server is and by which key it knows it, what it was given to come again by itself, and its virtual cards.

import { randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openVirtualCard, type VirtualCard } from '#standards/piv/card/card.ts'
import { blankCard, type CardState } from '#standards/piv/card/state.ts'

export type Remembered = { address?: string; port?: number; pin?: string; secret?: string }

export type Memory = {
  read(): Remembered
  write(remembered: Remembered): Promise<void>
  /** That of the first reader of software, of the second and so on. */
  virtualCard(number: number): VirtualCard
}

export function openMemory(folder: string): Memory {
  const linkFile = join(folder, 'link.json')
  const cardFileOf = (number: number) => join(folder, number === 1 ? 'virtual-card.json' : `virtual-card-${number}.json`)
  /** Whole or not at all, and read by nobody else: there is a secret in it. */
  const put = async (file: string, content: unknown): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(`${file}.new`, JSON.stringify(content), { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  let writing: Promise<void> = Promise.resolve()
  const inTurn = (file: string, content: unknown) => {
    const copy: unknown = structuredClone(content)
    return (writing = writing.catch(() => {}).then(() => put(file, copy)))
  }
  return {
    read: () => (existsSync(linkFile) ? (JSON.parse(readFileSync(linkFile, 'utf8')) as Remembered) : {}),
    write: (remembered) => inTurn(linkFile, remembered),
    virtualCard(number) {
      const cardFile = cardFileOf(number)
      const state: CardState = existsSync(cardFile)
        ? (JSON.parse(readFileSync(cardFile, 'utf8')) as CardState)
        : blankCard({ serial: randomInt(10_000_000, 99_999_999) })
      // A card that was only read is the same one after the next start.
      void inTurn(cardFile, state).catch(() => {})
      return openVirtualCard(state, (changed) => void inTurn(cardFile, changed).catch(() => {}))
    },
  }
}
