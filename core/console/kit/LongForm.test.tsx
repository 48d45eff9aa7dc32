import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { answering, type Answer } from '#core/testing/little-server.ts'
import { preferencesStore } from '../preferences.ts'
import { expectAccessible, showScreen } from '../testing/render.tsx'
import { CheckboxField, DateField, GroupedCheckboxField, SelectField, TextField } from './fields.tsx'
import { Fold } from './Fold.tsx'
import { FormSection, LongForm } from './LongForm.tsx'
import { Page } from './Page.tsx'

const Kind = z.enum(['rsa', 'rsa-long', 'ec', 'ec-long'])
const plans = contract({
  area: 'plans',
  title: 'Plans',
  calls: {
    add: {
      does: 'Add.',
      title: 'Add',
      method: 'POST',
      path: '/api2/x/Plan',
      needs: 'ticketAdd',
      input: z.object({
        name: z.string().min(1, 'Enter a name'),
        code: z.string().max(3, 'At most 3 letters'),
        first: z.string(),
        second: z.string(),
        urgent: z.boolean(),
        keys: z.array(Kind).min(1, 'Choose a key'),
        kind: Kind,
        day: z.iso.date('Enter a date').optional(),
      }),
      output: z.object({ id: z.string() }),
    },
  },
})

const options = [
  { value: 'rsa', label: 'Short RSA', group: 'RSA' },
  { value: 'rsa-long', label: 'Long RSA', group: 'RSA' },
  { value: 'ec', label: 'Short EC', group: 'EC' },
  { value: 'ec-long', label: 'Long EC', group: 'EC' },
] as const

const Plan = ({ taken = {} }: { taken?: Record<string, string> }) => (
  <Page title="New plan">
    <LongForm
      call={plans.calls.add}
      initial={{ name: '', code: '', first: '', second: '', urgent: false, keys: ['rsa-long'], kind: 'ec' }}
      submit="Create plan"
      check={({ first, second }): Record<string, string> => (first === '' && second === '' ? { first: 'Enter one of the two' } : {})}
      ask={() => Promise.resolve(taken)}
      onDone={() => {}}
    >
      {(form) => (
        <>
          <FormSection title="Names">
            <TextField {...form.field('name')} label="Name" />
            <TextField {...form.field('first')} label="First" />
            <TextField {...form.field('second')} label="Second" />
          </FormSection>
          <FormSection title="Keys">
            <GroupedCheckboxField
              {...form.field('keys')}
              label="Allowed keys"
              groups={[
                { label: 'RSA', recommended: 'rsa', options: options.slice(0, 2) },
                { label: 'EC', recommended: 'ec', options: options.slice(2) },
              ]}
            />
            <SelectField {...form.field('kind')} label="Kind" options={options} />
          </FormSection>
          <FormSection title="Further" folded="Nothing">
            <TextField {...form.field('code')} label="Code" />
            <Fold label="Days" says="None">
              <DateField {...form.field('day')} label="Day" />
            </Fold>
            <CheckboxField {...form.field('urgent')} label="Urgent" />
          </FormSection>
        </>
      )}
    </LongForm>
  </Page>
)

const open = async (taken: Record<string, string> = {}, answer: Answer = { body: { id: '1' } }) => {
  const server = await answering({ 'POST /api2/x/Plan': answer })
  return { server, ...showScreen(<Plan taken={taken} />, { at: '/plan' }) }
}
const listed = () => within(screen.getByRole('navigation', { name: 'Sections of this form' }))
const summary = async () => within(await screen.findByRole('alert'))
const submit = () => screen.getByRole('button', { name: 'Create plan' })
const codeField = () => screen.getByLabelText('Code', { selector: 'input' })

test('the sections are listed in the order of the page, and lead to their heads', async () => {
  const { user } = await open()
  expect(
    listed()
      .getAllByRole('button')
      .map((button) => button.textContent),
  ).toEqual(['Names', 'Keys', 'Further'])
  expect(codeField().closest('details')?.open).toBe(false)
  await user.click(listed().getByRole('button', { name: 'Further' }))
  expect(document.activeElement?.textContent).toBe('Further')
  expect(codeField().closest('details')?.open).toBe(true)
  await expectAccessible()
})

test('all faults are said in one round, the form’s and the server’s, in the order of the page; the list counts them, and what is folded opens', async () => {
  const { user, server } = await open({ name: 'Never said beside the form’s own', second: 'This is taken' })
  await user.fill(codeField() as HTMLInputElement, 'long')
  await user.click(submit())
  const shown = (await summary()).getAllByRole('button').map((button) => button.textContent)
  expect(shown).toEqual(['Name: Enter a name', 'First: Enter one of the two', 'Second: This is taken', 'Code: At most 3 letters'])
  expect(server.asked).toEqual([])
  expect(listed().getByRole('button', { name: 'Names: 3 to mend' })).toBeDefined()
  expect(listed().getByRole('button', { name: 'Further: one to mend' })).toBeDefined()
  expect(codeField().closest('details')?.open).toBe(true)
  await user.click((await summary()).getByRole('button', { name: /^Code/ }))
  expect(document.activeElement).toBe(codeField())
  await expectAccessible()
})

test('an item of the summary goes with its fault, also where another field has mended it', async () => {
  const { user } = await open({ second: 'This is taken' })
  await user.click(submit())
  const items = async () => (await summary()).getAllByRole('button').map((button) => button.textContent)
  expect(await items()).toEqual(['Name: Enter a name', 'First: Enter one of the two', 'Second: This is taken'])
  await user.type(screen.getByLabelText('Second'), 'b')
  await waitFor(async () => expect(await items()).toEqual(['Name: Enter a name']))
  expect(screen.queryByText('Enter one of the two')).toBeNull()
  await user.type(screen.getByLabelText('Name'), 'a')
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
})

test('of many choices the recommended are in view, and each fold says what is chosen in it', async () => {
  const { user, server } = await open()
  const keys = within(screen.getByRole('group', { name: 'Allowed keys' }))
  expect(within(keys.getByRole('group', { name: 'RSA' })).getByRole('checkbox', { name: 'Short RSA (recommended)' })).toBeDefined()
  expect(keys.getByText('Long RSA', { selector: 'summary *' })).toBeDefined()
  expect(keys.getByText('None chosen')).toBeDefined()
  await user.click(keys.getByRole('checkbox', { name: 'Short EC (recommended)' }))
  await user.fill(screen.getByLabelText('Name') as HTMLInputElement, 'a')
  await user.fill(screen.getByLabelText('First') as HTMLInputElement, 'a')
  const day = screen.getByLabelText('Day') as HTMLInputElement
  expect(day.placeholder).toBe('dd/mm/yyyy')
  await user.fill(day, '3/4/2026')
  await user.click(submit())
  await waitFor(() => expect(server.asked[0]?.body).toMatchObject({ keys: ['rsa-long', 'ec'], day: '2026-04-03' }))
})

test('a day is written as the person’s locale has it, and what is none stands as it was typed', async () => {
  preferencesStore.setState({ dateLocale: 'en-US' })
  const { user } = await open()
  const day = () => screen.getByLabelText('Day') as HTMLInputElement
  expect(day().placeholder).toBe('mm/dd/yyyy')
  await user.fill(day(), '3/4/26')
  await user.click(screen.getByLabelText('Name'))
  expect(day().value).toBe('03/04/2026')
  await user.fill(day(), '31/31/2026')
  await user.click(submit())
  expect((await summary()).getByRole('button', { name: 'Day: Enter a date' })).toBeDefined()
  expect(day().value).toBe('31/31/2026')
  preferencesStore.setState({ dateLocale: '' })
})

test('the choices of a select stand under their headings', async () => {
  const { user } = await open()
  await user.click(screen.getByRole('combobox', { name: 'Kind' }))
  expect((await screen.findAllByRole('option')).map((option) => option.textContent)).toEqual([
    'Short RSA',
    'Long RSA',
    'Short EC',
    'Long EC',
  ])
  expect(screen.getAllByText('EC').length).toBeGreaterThan(0)
})
