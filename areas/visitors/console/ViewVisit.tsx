import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { DateField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { visitors } from '../contract.ts'
import { visitLabels } from './labels.ts'

type Visit = OutputOf<typeof visitors.calls.read>

export function ViewVisit() {
  const { id = '' } = useParams()
  const query = useCall(visitors.calls.read, { id })
  if (query.data !== undefined) return <OneVisit visit={query.data} />
  return (
    <Page title={t('Visit')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function OneVisit({ visit }: { visit: Visit }) {
  const may = useMay()
  const { state } = visit
  return (
    <DetailPage
      title={visit.name}
      status={<Status of={visitLabels[state].of} label={t(visitLabels[state].label)} />}
      {...(visit.company === '' ? {} : { intro: visit.company })}
      actions={[]}
    >
      <Stack gap="md">
        {may('manageSponsor') && <Reception visit={visit} />}
        <Section title={t('Details')}>
          <Facts
            items={[
              {
                label: t('Host of the visit'),
                value: <TextLink to={to(users.screens.view, { id: visit.host.id })}>{visit.host.name}</TextLink>,
              },
              { label: t('From'), value: <DateTime at={visit.from} /> },
              { label: t('Until'), value: <DateTime at={visit.until} /> },
              { label: t('Arrived'), value: visit.arrivedAt === undefined ? '' : <DateTime at={visit.arrivedAt} /> },
              { label: t('Left'), value: visit.leftAt === undefined ? '' : <DateTime at={visit.leftAt} /> },
              { label: t('Pass number'), value: visit.passNumber },
              { label: t('E-mail address'), value: visit.emailAddress },
              { label: t('Purpose'), value: visit.purpose },
            ]}
          />
        </Section>
      </Stack>
    </DetailPage>
  )
}

function Reception({ visit: { id, state, until } }: { visit: Visit }) {
  const leave = useSend(visitors.calls.leave)
  const cancel = useSend(visitors.calls.cancel)
  const [extending, setExtending] = useState(false)
  if (state === 'left' || state === 'cancelled') return null
  const here = state === 'arrived' || state === 'overstayed'
  return (
    <Section title={t('Reception')}>
      <FaultAlert fault={leave.fault ?? cancel.fault} />
      {state === 'planned' && (
        <Form call={visitors.calls.arrive} initial={{ id, passNumber: '' }} submit={t('Record arrival')} onDone={() => {}}>
          {(form) => <TextField {...form.field('passNumber')} label={t('Pass number')} />}
        </Form>
      )}
      <Group gap="xs">
        {here && (
          <Button loading={leave.pending} onClick={() => void leave.run({ id }).catch(() => {})}>
            {t('Record departure')}
          </Button>
        )}
        <Button variant="default" onClick={() => setExtending(!extending)}>
          {t('Extend visit')}
        </Button>
        {!here && (
          <Button variant="light" color="red" loading={cancel.pending} onClick={() => void cancel.run({ id }).catch(() => {})}>
            {t('Cancel visit')}
          </Button>
        )}
      </Group>
      {extending && (
        <Form
          call={visitors.calls.extend}
          initial={{ until: until.slice(0, 16) }}
          toInput={(values: { until: string | undefined }) => ({
            id,
            until: values.until === undefined ? '' : new Date(values.until).toISOString(),
          })}
          submit={t('Save end')}
          onDone={() => setExtending(false)}
        >
          {(form) => <DateField {...form.field('until')} label={t('Until')} withTime />}
        </Form>
      )}
    </Section>
  )
}
