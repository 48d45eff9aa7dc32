import { Button } from '@mantine/core'
import { useState } from 'react'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { devices } from '../contract.ts'
import { typeWord } from './type-word.ts'

export function Types() {
  const query = useCall(devices.calls.types, {})
  const remove = useSend(devices.calls.removeType)
  const [round, setRound] = useState(0)
  return (
    <Page title={t('Device types')} narrow>
      <Section title={t('New type')}>
        <Form key={round} call={devices.calls.addType} initial={{ name: '' }} submit={t('Add type')} onDone={() => setRound(round + 1)}>
          {(form) => <TextField {...form.field('name')} label={t('Name')} required />}
        </Form>
      </Section>
      <Section title={t('Types of this tenancy')}>
        <FaultAlert fault={remove.fault} />
        <Loaded query={query}>
          {({ deviceTypes }) => (
            <SmallTable
              label={t('Device types')}
              rows={deviceTypes}
              rowId={({ name }) => name}
              columns={[
                { label: t('Name'), cell: ({ name }) => typeWord(name) },
                {
                  label: t('Devices'),
                  align: 'end',
                  cell: ({ name, devices: count }) =>
                    count === 0 ? (
                      formatNumber(0)
                    ) : (
                      <TextLink to={to(searchScreen, { searchType: 'device' }, { type: name })}>{formatNumber(count)}</TextLink>
                    ),
                },
                {
                  label: t('Delete'),
                  plain: true,
                  cell: ({ name, devices: count, fixed }) =>
                    fixed || count > 0 ? (
                      t('In use')
                    ) : (
                      <Button size="xs" variant="subtle" color="red" onClick={() => void remove.run({ name }).catch(() => undefined)}>
                        {t('Delete {name}', { name })}
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  )
}
