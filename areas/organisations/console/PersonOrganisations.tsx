// A tab of a person's page: the organisations that the person belongs to.

import { Alert, Stack } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { MultiSelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { organisations } from '../contract.ts'
import { useOrganisationSearch } from '../organisation-search.tsx'

type Held = OutputOf<typeof organisations.calls.ofPerson>

export function PersonOrganisations({ userId }: { userId: string }) {
  const may = useMay()
  const query = useCall(organisations.calls.ofPerson, { userId })
  return (
    <Section title={t('Organisations')}>
      <Loaded query={query}>
        {(held) => (
          <Stack gap="md">
            {held.length === 0 && <Alert>{t('This person belongs to no organisation.')}</Alert>}
            <Stack component="ul" gap="xs" m={0} ps="md">
              {held.map(({ id, path }) => (
                <li key={id}>
                  <TextLink to={to(organisations.screens.view, { id })}>{path}</TextLink>
                </li>
              ))}
            </Stack>
            {may('orgEdit') && <Choice key={held.map(({ id }) => id).join(' ')} userId={userId} held={held} />}
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

type Values = { organisationIds: string[] }

function Choice({ userId, held }: { userId: string; held: Held }) {
  const { options, onSearch } = useOrganisationSearch()
  const known = held.filter(({ id }) => !options.some(({ value }) => value === id)).map(({ id, path }) => ({ value: id, label: path }))
  const initial: Values = { organisationIds: held.map(({ id }) => id) }
  return (
    <Form
      call={organisations.calls.setOfPerson}
      initial={initial}
      toInput={({ organisationIds }: Values) => ({ userId, organisationIds })}
      submit={t('Save organisations')}
      onDone={() => {}}
    >
      {(form) => (
        <MultiSelectField
          {...form.field('organisationIds')}
          label={t('Organisations')}
          hint={t('Type a part of a name')}
          options={[...options, ...known]}
          onSearch={onSearch}
        />
      )}
    </Form>
  )
}
