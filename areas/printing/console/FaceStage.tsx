// A side of a card as it will be printed, with its elements to be dragged over it; by keyboard they move with the arrow keys.

import { useRef, type KeyboardEvent, type PointerEvent } from 'react'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { printing } from '../contract.ts'
import { cardSize, kindLabels, moved, resized, type Box } from '../rules.ts'
import classes from './FaceStage.module.css'

export type FaceElement = OutputOf<typeof printing.calls.face>['front']['elements'][number]

type Props = {
  title: string
  background: string
  elements: readonly FaceElement[]
  /** JPEG, base64. */
  picture: string | undefined
  selected: number | undefined
  onSelect: (at: number) => void
  onChange: (at: number, box: Box) => void
}

const percent = (part: number, whole: number): string => `${(part / whole) * 100}%`
const step = 0.5
const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-step, 0],
  ArrowRight: [step, 0],
  ArrowUp: [0, -step],
  ArrowDown: [0, step],
}

export function FaceStage({ title, background, elements, picture, selected, onSelect, onChange }: Props) {
  const stage = useRef<HTMLDivElement>(null)
  const drag = useRef<{ at: number; from: FaceElement; x: number; y: number; sizes: boolean }>(undefined)

  const begin = (event: PointerEvent<HTMLElement>, at: number, sizes: boolean) => {
    const from = elements[at]
    if (from === undefined) return
    event.stopPropagation()
    event.currentTarget.setPointerCapture(event.pointerId)
    onSelect(at)
    drag.current = { at, from, x: event.clientX, y: event.clientY, sizes }
  }
  const follow = (event: PointerEvent<HTMLElement>) => {
    const [now, width] = [drag.current, stage.current?.clientWidth ?? 0]
    if (now === undefined || width === 0) return
    const scale = cardSize.width / width
    const [across, down] = [(event.clientX - now.x) * scale, (event.clientY - now.y) * scale]
    onChange(now.at, now.sizes ? resized(now.from, across, down) : moved(now.from, across, down))
  }
  const end = () => {
    drag.current = undefined
  }
  const press = (event: KeyboardEvent<HTMLElement>, at: number) => {
    const [by, element] = [arrows[event.key], elements[at]]
    if (by === undefined || element === undefined) return
    event.preventDefault()
    onSelect(at)
    onChange(at, event.shiftKey ? resized(element, by[0], by[1]) : moved(element, by[0], by[1]))
  }
  return (
    <div
      ref={stage}
      className={classes.stage}
      style={{ aspectRatio: `${cardSize.width} / ${cardSize.height}`, backgroundColor: background }}
      role="group"
      aria-label={t('{side}: drag the elements', { side: title })}
    >
      {picture !== undefined && <img className={classes.picture} src={`data:image/jpeg;base64,${picture}`} alt={title} draggable={false} />}
      {elements.map((element, at) => (
        <button
          key={at}
          type="button"
          className={classes.element}
          aria-pressed={selected === at}
          aria-label={t('{kind} {no, number} on {side}: {across, number} mm from the left, {down, number} mm from the top', {
            kind: t(kindLabels[element.kind]),
            no: at + 1,
            side: title,
            across: element.x,
            down: element.y,
          })}
          style={{
            left: percent(element.x, cardSize.width),
            top: percent(element.y, cardSize.height),
            width: percent(element.width, cardSize.width),
            height: percent(element.height, cardSize.height),
          }}
          onPointerDown={(event) => begin(event, at, false)}
          onPointerMove={follow}
          onPointerUp={end}
          onPointerCancel={end}
          onKeyDown={(event) => press(event, at)}
          onFocus={() => onSelect(at)}
        >
          {selected === at && (
            <span
              className={classes.corner}
              aria-hidden
              onPointerDown={(event) => begin(event, at, true)}
              onPointerMove={follow}
              onPointerUp={end}
              onPointerCancel={end}
            />
          )}
        </button>
      ))}
    </div>
  )
}
