import { act, render, screen } from '@testing-library/react'
import { fireEvent } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bootstrapStore } from './bootstrap.ts'
import { ConsoleRoot } from './ConsoleRoot.tsx'
import { expectAccessible, testBootstrap } from './testing/render.tsx'
import { clearToasts, displayMilliseconds, toast, toastStore } from './toasts.ts'

const shown = () => toastStore.getState().shown.map((one) => one.title)
const pass = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds))

beforeEach(() => {
  vi.useFakeTimers()
  clearToasts()
  bootstrapStore.setState({ bootstrap: testBootstrap })
})
afterEach(() => vi.useRealTimers())

describe('a toast', () => {
  test('stays 3000 ms', () => {
    toast({ kind: 'success', title: 'Saved' })
    pass(2999)
    expect(shown()).toEqual(['Saved'])
    pass(1)
    expect(shown()).toEqual([])
  })

  test.each([
    ['5000', 5000],
    [5000, 5000],
    ['abc', 3000],
    ['', 3000],
    [0, 3000],
    [Number.NaN, 3000],
    [undefined, 3000],
  ])('with the tenancy’s time %j stays %i ms', (tenancy, stays) => {
    expect(displayMilliseconds(tenancy)).toBe(stays)
  })

  test('is not doubled, and the newest stands on top', () => {
    toast({ kind: 'success', title: 'One' })
    toast({ kind: 'error', title: 'Two' })
    toast({ kind: 'success', title: 'One' })
    expect(shown()).toEqual(['Two', 'One'])
  })

  test('of type message never closes by itself, not by the pointer either', () => {
    toast({ kind: 'message', title: 'Stays' })
    pass(1_000_000)
    expect(shown()).toEqual(['Stays'])
  })

  test('is kept in a log of the latest 20', () => {
    for (let at = 1; at <= 25; at += 1) toast({ kind: 'info', title: `Toast ${at}` })
    const { log } = toastStore.getState()
    expect([log.length, log[0]?.title, log.at(-1)?.title]).toEqual([20, 'Toast 25', 'Toast 6'])
  })
})

describe('on the screen', () => {
  test('a hovered toast stays, and goes 1000 ms after the pointer leaves', () => {
    render(<ConsoleRoot env="test">{undefined}</ConsoleRoot>)
    act(() => toast({ kind: 'success', title: 'Hover me' }))
    const card = screen.getByText('Hover me').closest('[role=status]') ?? document.body
    fireEvent.pointerEnter(card)
    pass(10_000)
    expect(shown()).toEqual(['Hover me'])
    fireEvent.pointerLeave(card)
    pass(999)
    expect(shown()).toEqual(['Hover me'])
    pass(1)
    expect(shown()).toEqual([])
  })

  test('one that has the focus stays, also when the pointer leaves', () => {
    render(<ConsoleRoot env="test">{undefined}</ConsoleRoot>)
    act(() => toast({ kind: 'success', title: 'Read me' }))
    const card = screen.getByText('Read me').closest('[role=status]') ?? document.body
    const close = screen.getByRole('button', { name: 'Close notice' })
    act(() => close.focus())
    fireEvent.pointerEnter(card)
    fireEvent.pointerLeave(card)
    pass(10_000)
    expect(shown()).toEqual(['Read me'])
    act(() => close.blur())
    pass(999)
    expect(shown()).toEqual(['Read me'])
    pass(1)
    expect(shown()).toEqual([])
  })

  test('the newest stands first', () => {
    render(<ConsoleRoot env="test">{undefined}</ConsoleRoot>)
    act(() => toast({ kind: 'success', title: 'First' }))
    act(() => toast({ kind: 'success', title: 'Second' }))
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent?.trim())).toEqual(['Second', 'First'])
  })

  test('an error is announced at once, and each toast can be closed', async () => {
    render(<ConsoleRoot env="test">{undefined}</ConsoleRoot>)
    act(() => toast({ kind: 'error', title: 'Failed', text: 'Nothing was changed' }))
    expect(screen.getByRole('alert').textContent).toBe('Failed Nothing was changed')
    fireEvent.click(screen.getByRole('button', { name: 'Close notice' }))
    expect(shown()).toEqual([])
    vi.useRealTimers()
    await expectAccessible()
  })
})
