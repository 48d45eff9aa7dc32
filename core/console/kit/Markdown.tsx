// The part of Markdown that help texts use: headings, paragraphs, lists, code, bold, emphasis, links. It builds elements, never HTML, so a text
// cannot bring markup of its own.

import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { readOwnPath } from '#core/contract/own-path.ts'
import { TextLink } from './links.tsx'
import classes from './Markdown.module.css'

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'list'; ordered: boolean; items: string[] }
  | { kind: 'code'; text: string }
  | { kind: 'text'; text: string }

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let code: string[] | undefined
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('```')) {
      if (code === undefined) code = []
      else {
        blocks.push({ kind: 'code', text: code.join('\n') })
        code = undefined
      }
      continue
    }
    if (code !== undefined) {
      code.push(line)
      continue
    }
    const last = blocks.at(-1)
    const heading = /^(#{1,4})\s+(.+)$/.exec(line)
    const item = /^(?:[-*]|(\d+)\.)\s+(.+)$/.exec(line.trimStart())
    if (heading !== null) blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' })
    else if (item !== null) {
      const ordered = item[1] !== undefined
      if (last?.kind === 'list' && last.ordered === ordered) last.items.push(item[2] ?? '')
      else blocks.push({ kind: 'list', ordered, items: [item[2] ?? ''] })
    } else if (line.trim() === '') blocks.push({ kind: 'text', text: '' })
    else if (last?.kind === 'text' && last.text !== '') last.text += ` ${line.trim()}`
    else if (last?.kind === 'list' && /^\s/.test(line)) last.items[last.items.length - 1] += ` ${line.trim()}`
    else blocks.push({ kind: 'text', text: line.trim() })
  }
  if (code !== undefined) blocks.push({ kind: 'code', text: code.join('\n') })
  return blocks.filter((block) => block.kind !== 'text' || block.text !== '')
}

export function Markdown({ text }: { text: string }) {
  return (
    <Stack gap="sm">
      {blocksOf(text).map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </Stack>
  )
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <Title order={block.level <= 1 ? 2 : 3} mt={4}>
          {inline(block.text)}
        </Title>
      )
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List className={classes['list']}>
          {block.items.map((item, at) => (
            <li key={at}>{inline(item)}</li>
          ))}
        </List>
      )
    }
    case 'code':
      return (
        <pre tabIndex={0} className={classes['block']}>
          {block.text}
        </pre>
      )
    default:
      return <Text>{inline(block.text)}</Text>
  }
}

const marks = /(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)\s]+\))/

function inline(text: string): ReactNode {
  return text.split(marks).map((part, at) => {
    if (part.startsWith('`') && part.endsWith('`') && part.length > 2)
      return (
        <code key={at} className={classes['code']}>
          {part.slice(1, -1)}
        </code>
      )
    if (part.startsWith('**') && part.endsWith('**') && part.length > 4) return <strong key={at}>{part.slice(2, -2)}</strong>
    if (part.startsWith('*') && part.endsWith('*') && part.length > 2) return <em key={at}>{part.slice(1, -1)}</em>
    const [, words, address] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? []
    if (words === undefined || address === undefined) return <Fragment key={at}>{part}</Fragment>
    const own = readOwnPath(address)
    if (own !== undefined)
      return (
        <TextLink key={at} to={own}>
          {words}
        </TextLink>
      )
    if (/^(https:|mailto:)/.test(address))
      return (
        <Anchor key={at} href={address} target="_blank" rel="noreferrer">
          {words}
        </Anchor>
      )
    return <Fragment key={at}>{words}</Fragment>
  })
}
