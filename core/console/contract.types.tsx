// What must not compile, proven by the compiler: each line below that expects an error is one promise of the kit. Nothing imports this file.

import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { pageOf, PageQuery } from '#core/contract/shapes.ts'
import { NumberField, SelectField, TextField } from './kit/fields.tsx'
import { Form } from './kit/Form.tsx'
import { useList } from './kit/list.ts'
import { changed, useSend } from './queries.ts'
import { send } from './send.ts'
import { lazy, show } from './show.ts'
import { openStream } from './stream.ts'

const demo = contract({
  area: 'demo',
  title: 'Demo',
  screens: {
    add: { path: '/demo/add', needs: 'signedIn', title: 'New', parent: 'view' },
    view: { path: '/demo/:id', needs: 'signedIn', title: 'One', parent: 'home.home' },
  },
  calls: {
    add: {
      does: 'Add.',
      title: 'Add',
      method: 'POST',
      path: '/demo',
      needs: 'signedIn',
      input: z.object({
        name: z.string(),
        age: z.number().default(1),
        kind: z.enum(['a', 'b']),
        subject: z.object({ commonName: z.string() }).optional(),
      }),
      output: z.object({ id: z.string() }),
    },
    search: {
      does: 'Search.',
      method: 'POST',
      path: '/demo/search',
      needs: 'signedIn',
      reads: true,
      input: PageQuery.extend({ kind: z.enum(['a', 'b']).optional() }),
      output: pageOf(z.object({ id: z.string() })),
    },
  },
  streams: {
    watch: { path: '/demo/watch', needs: 'signedIn', input: z.object({ id: z.string() }), event: z.object({ step: z.string() }) },
  },
})
const shelf = contract({
  area: 'shelf',
  title: 'Shelf',
  records: {
    book: { singular: 'Book', plural: 'Books', needs: 'search', list: {} },
    stamp: { singular: 'Stamp', plural: 'Stamps', needs: 'search' },
  },
})
const plain = contract({ area: 'plain', title: 'Plain' })
const component = lazy(async () => ({ Component: () => <p /> }))

export const consoleModules = [
  show<typeof demo>('demo', { add: component, view: component }),
  // @ts-expect-error a screen without its component
  show<typeof demo>('demo', { add: component }),
  // @ts-expect-error a component without its screen
  show<typeof demo>('demo', { add: component, view: component, vieww: component }),
  // @ts-expect-error another room's name
  show<typeof demo>('other', { add: component, view: component }),
]

export const shelves = [
  show<typeof shelf>('shelf', {}, { lists: { book: component } }),
  // @ts-expect-error a list without its component
  show<typeof shelf>('shelf', {}),
  // @ts-expect-error a component without its list
  show<typeof shelf>('shelf', {}, { lists: { book: component, stamp: component } }),
  // @ts-expect-error a room whose records have no lists
  show<typeof plain>('plain', {}, { lists: { book: component } }),
]

// @ts-expect-error a screen file exports components only
export const notAScreen = lazy(async () => ({ Component: () => <p />, limit: 3 }))

export async function calls(): Promise<string[]> {
  const { id } = await send(demo.calls.add, { name: 'x', kind: 'a' })
  // @ts-expect-error a value that the shape does not know
  await send(demo.calls.add, { name: 'x', kind: 'c' })
  // @ts-expect-error a missing field
  await send(demo.calls.add, { kind: 'a' })
  const whole = { name: 'x', kind: 'a' as const, version: 1 }
  // @ts-expect-error a field that the call does not know, out of a spread
  await send(demo.calls.add, { ...whole, name: 'y' })
  for await (const { step } of openStream(demo.streams.watch, { id })) return [step]
  // @ts-expect-error a stream's input is its shape's
  openStream(demo.streams.watch, {})
  return []
}

export const AddDemo = () => (
  <Form call={demo.calls.add} initial={{ name: '' }} submit="Add" onDone={({ id }) => console.log(id)}>
    {(form) => (
      <>
        <TextField {...form.field('name')} label="Name" />
        <NumberField {...form.field('age')} label="Age" />
        <SelectField {...form.field('kind')} label="Kind" options={[{ value: 'a', label: 'A' }]} />
        <TextField {...form.field('subject.commonName')} label="Common name" />
        {/* @ts-expect-error a misspelt field */}
        <TextField {...form.field('nmae')} label="Name" />
        {/* @ts-expect-error a field of another type */}
        <NumberField {...form.field('name')} label="Name" />
        {/* @ts-expect-error an option that the shape does not know */}
        <SelectField {...form.field('kind')} label="Kind" options={[{ value: 'c', label: 'C' }]} />
      </>
    )}
  </Form>
)

export const OtherValues = () => (
  <Form
    call={demo.calls.add}
    initial={{ whole: '' }}
    submit="Add"
    onDone={() => {}}
    toInput={(values: { whole: string }) => ({ name: values.whole, kind: 'a' as const })}
  >
    {(form) => <TextField {...form.field('whole')} label="Whole name" />}
  </Form>
)

export const MoreThanTheCall = () => (
  <Form
    call={demo.calls.add}
    initial={{ name: '', version: 1 }}
    submit="Add"
    onDone={() => {}}
    // @ts-expect-error a field that the call does not know, out of a spread
    toInput={(values: { name: string; version: number }) => ({ ...values, kind: 'a' as const })}
  >
    {(form) => <TextField {...form.field('name')} label="Name" />}
  </Form>
)

export function DemoList() {
  const list = useList(demo.calls.search, { key: 'demo', filters: { kind: { label: 'Kind' } } })
  // @ts-expect-error a filter that the call does not take
  useList(demo.calls.search, { key: 'demo', filters: { size2: { label: 'Size' } } })
  return list.answer?.rows.map((row) => row.id)
}

export function useDemoSender() {
  // @ts-expect-error there is no such room
  changed('hmoe')
  // @ts-expect-error there is no such room
  return [useSend(demo.calls.add, { invalidates: ['home'] }), useSend(demo.calls.add, { invalidates: ['hmoe'] })]
}
