// Requests cards for the people that are ticked or pasted. What the server would do is shown before it does it.

import { Button, Group, List, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import type { CallFault } from '#core/console/call-fault.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateField, SelectField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import type { WireSelection } from '#core/console/kit/list-selection.ts'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf, OutputOf } from '#core/contract/contract.ts'
import { cardrequests } from '../contract.ts'
import { obstacleLabels } from '../rules.ts'

type Draft = DraftOf<typeof cardrequests.calls.request>
type Answer = OutputOf<typeof cardrequests.calls.request>
type Terms = { cardTemplateId: string | undefined; dueDate: string | undefined; deliverTo: string }

export function RequestCards() {
  const query = useCall(cardrequests.calls.templates, {})
  return (
    <Page title={t('Request smartcards')}>
      <Loaded query={query}>
        {({ cardTemplates }) =>
          cardTemplates.length === 0 ? (
            <EmptyState
              icon={IconUsers}
              title={t('No template of cards')}
              text={t('A template says which keys a card has and which certificates they get.')}
            />
          ) : (
            <Wishes templates={cardTemplates.map(({ cardTemplateId: value, name: label }) => ({ value, label }))} />
          )
        }
      </Loaded>
    </Page>
  )
}

const isAtFields = (fault: CallFault | undefined): boolean =>
  fault !== undefined &&
  fault.fields.length > 0 &&
  fault.fields.every(({ field }) => /^(options\.(cardTemplateId|dueDate|deliverTo)|bulkInclusionList)/.test(field))

function Wishes({ templates }: { templates: { value: string; label: string }[] }) {
  const may = useMay()
  const [terms, setTerms] = useState<Terms>({ cardTemplateId: templates[0]?.value, dueDate: undefined, deliverTo: '' })
  const [pasted, setPasted] = useState('')
  const [asked, setAsked] = useState<{ draft: Draft; answer: Answer }>()
  const dry = useSend(cardrequests.calls.request, { quiet: true })
  const order = useSend(cardrequests.calls.request)
  // Says each fault at its field, and above them only what no field here says.
  const faultAt = (path: string): string | undefined => dry.fault?.fields.find(({ field: at }) => at === path)?.says
  const faultOfList = dry.fault?.fields.find(({ field: at }) => at.startsWith('bulkInclusionList'))
  const wrongLine = /^bulkInclusionList\.(\d+)$/.exec(faultOfList?.field ?? '')?.[1]
  const field = <F extends keyof Terms>(name: F) => ({
    name,
    value: terms[name],
    error: faultAt(`options.${name}`),
    onBlur: () => {},
    onChange: (value: Terms[F]) => setTerms((before) => ({ ...before, [name]: value })),
  })
  const ask = async (selection: Omit<Draft, 'options'>, query?: Draft['options']['query']) => {
    const { cardTemplateId = '', dueDate, deliverTo } = terms
    const options = {
      cardTemplateId,
      deliverTo,
      ...(dueDate === undefined || dueDate === '' ? {} : { dueDate: `${dueDate}T23:59:59Z` }),
      ...(query === undefined ? {} : { query }),
    }
    const answer = await dry.run({ ...selection, options: { ...options, dryRun: true } }).catch(() => undefined)
    if (answer !== undefined) setAsked({ draft: { ...selection, options }, answer })
  }
  const names = pasted
    .split(/[\n,;]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return (
    <Stack>
      <Section title={t('Cards')}>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <SelectField {...field('cardTemplateId')} label={t('Template of cards')} options={templates} required />
          <DateField {...field('dueDate')} label={t('Needed by')} />
          <TextField {...field('deliverTo')} label={t('Deliver to')} hint={t('A place or a desk')} />
        </SimpleGrid>
      </Section>
      {!isAtFields(dry.fault) && <FaultAlert fault={dry.fault} />}
      {may('userView') && <People onAsk={ask} />}
      <Section title={t('By a list')} intro={t('Usernames or e-mail addresses, one a line.')}>
        <TextAreaField
          name="pasted"
          value={pasted}
          error={
            faultOfList &&
            (wrongLine === undefined
              ? faultOfList.says
              : t('Entry {no, number}: {reason}', { no: Number(wrongLine) + 1, reason: faultOfList.says }))
          }
          onBlur={() => {}}
          onChange={(value) => setPasted(value ?? '')}
          label={t('Names and addresses')}
          rows={4}
        />
        <Group>
          <Button
            variant="default"
            disabled={names.length === 0}
            loading={dry.pending}
            onClick={() => void ask({ bulkInclusionList: names })}
          >
            {t('{count, plural, =0 {Request cards} one {Request # card} other {Request # cards}}', { count: names.length })}
          </Button>
        </Group>
      </Section>
      {asked !== undefined && (
        <Modal opened onClose={() => setAsked(undefined)} title={t('Request smartcards')}>
          <Stack>
            <Text>
              {t('{can, number} can get a card, {cannot, number} cannot.', { can: asked.answer.requested, cannot: asked.answer.refused })}
            </Text>
            {asked.answer.cannot.length > 0 && (
              <List size="sm" aria-label={t('Who cannot')}>
                {asked.answer.cannot.map(({ userId, name, reason }) => (
                  <List.Item key={userId ?? name}>{t('{name}: {reason}', { name, reason: t(obstacleLabels[reason]) })}</List.Item>
                ))}
              </List>
            )}
            <FaultAlert fault={order.fault} />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAsked(undefined)}>
                {t('Cancel')}
              </Button>
              <Button
                disabled={asked.answer.requested === 0}
                loading={order.pending}
                onClick={() =>
                  void order
                    .run(asked.draft)
                    .then(() => setAsked(undefined))
                    .catch(() => {})
                }
              >
                {t('{count, plural, one {Request # card} other {Request # cards}}', { count: asked.answer.requested })}
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </Stack>
  )
}

function People({ onAsk }: { onAsk: (selection: WireSelection, query: Draft['options']['query']) => Promise<void> }) {
  const list = useList(users.calls.search, {
    key: 'cardrequests.people',
    sort: 'name',
    filters: {
      status: {
        label: t('Status'),
        options: [
          { value: 'active', label: t('Active') },
          { value: 'invited', label: t('Invited') },
          { value: 'disabled', label: t('Disabled') },
        ],
      },
    },
  })
  return (
    <DataTable
      list={list}
      label={t('People')}
      search={t('Name, username or e-mail address')}
      rowId={(row) => row.id}
      rowName={(row) => `${row.givenName} ${row.familyName}`}
      columns={[
        { key: 'name', label: t('Name'), sort: true, cell: (row) => `${row.givenName} ${row.familyName}` },
        { key: 'username', label: t('Username'), sort: true, cell: (row) => row.username },
        { key: 'emailAddress', label: t('E-mail address'), sort: true, phone: false, cell: (row) => row.emailAddress },
        { key: 'status', label: t('Status'), aside: true, cell: (row) => <Status of={row.status} /> },
      ]}
      bulk={[
        {
          label: t('Request cards'),
          run: async (selection, { input }) => {
            const { text, status } = input as { text?: string; status?: 'active' | 'invited' | 'disabled' }
            await onAsk(selection, { text: text ?? '', ...(status === undefined ? {} : { status }) })
            return undefined
          },
        },
      ]}
      empty={{ title: t('Nobody here'), text: t('Nobody matches what is asked for.') }}
    />
  )
}
