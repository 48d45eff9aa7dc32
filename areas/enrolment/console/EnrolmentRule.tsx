import { Button, Stack } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { roleOption } from '#areas/roles/role-options.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { MultiSelectField, NumberField, SelectField, SwitchField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { enrolment } from '../contract.ts'
import { outcomeStates, outcomeLabels, type EnrolledEntity, type OutcomeState } from '../rules.ts'
import { listPath, rulePath } from './paths.ts'

type Values = InputOf<typeof enrolment.calls.add>
type Choices = OutputOf<typeof enrolment.calls.choices>

export function AddRule() {
  const navigate = useNavigate()
  const choices = useCall(enrolment.calls.choices, {})
  return (
    <Page title={t('New rule')} inside narrow>
      <Loaded query={choices}>
        {(known) => {
          const [first] = known.templates
          if (first === undefined)
            return (
              <EmptyState
                title={t('No template for auto-enrolment')}
                text={t(
                  'A rule needs a template of the class “Auto-enrolled user” or “Auto-enrolled device”. Make one, or ask for one to be licensed.',
                )}
                action={<LinkButton to={listPath}>{t('Back to the list')}</LinkButton>}
              />
            )
          return (
            <Form
              call={enrolment.calls.add}
              initial={{
                name: '',
                enabled: true,
                entity: first.entity,
                templateId: first.templateId,
                roleIds: [],
                deviceNames: [],
                renewDays: 30,
              }}
              toInput={(values: Values) => values}
              submit={t('Create rule')}
              cancel={{ label: t('Cancel'), to: listPath }}
              onDone={({ id }) => navigate(rulePath(id))}
            >
              {(form) => <RuleFields form={form} choices={known} />}
            </Form>
          )
        }}
      </Loaded>
    </Page>
  )
}

export function EditRule({ id }: { id: string }) {
  const query = useCall(enrolment.calls.get, { id })
  if (query.data !== undefined) return <Editor key={query.data.version} rule={query.data} />
  return (
    <Page title={t('Rule')} inside>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Editor({ rule }: { rule: OutputOf<typeof enrolment.calls.get> }) {
  const choices = useCall(enrolment.calls.choices, {})
  const run = useSend(enrolment.calls.run, { invalidates: ['certificates'] })
  const { id, version, ...values } = rule
  return (
    <Page
      title={values.name}
      inside
      status={<Status of={values.enabled ? 'active' : 'disabled'} />}
      actions={
        <>
          <LinkButton variant="default" to={listPath}>
            {t('All rules')}
          </LinkButton>
          {values.enabled && (
            <Button
              leftSection={<IconPlayerPlay size={16} stroke={1.8} aria-hidden />}
              loading={run.pending}
              onClick={() => void run.run({ id }).catch(() => {})}
            >
              {t('Run now')}
            </Button>
          )}
        </>
      }
    >
      <Stack gap="md">
        {run.fault !== undefined && <FaultAlert fault={run.fault} />}
        <Loaded query={choices}>
          {(known) => (
            <Form
              call={enrolment.calls.edit}
              initial={values}
              toInput={(changed: Values) => ({ ...changed, id, version })}
              submit={t('Save rule')}
              onDone={() => {}}
            >
              {(form) => <RuleFields form={form} choices={known} />}
            </Form>
          )}
        </Loaded>
        <Outcomes id={id} />
      </Stack>
    </Page>
  )
}

function RuleFields({ form, choices }: { form: FormKit<Values>; choices: Choices }) {
  const { entity, deviceNames } = form.values
  const templatesOf = (kind: EnrolledEntity) => choices.templates.filter((template) => template.entity === kind)
  const choose = (kind: EnrolledEntity | undefined): void => {
    if (kind === undefined || kind === entity) return
    form.setAll({ entity: kind, templateId: templatesOf(kind)[0]?.templateId ?? '' })
  }
  return (
    <Section title={t('Rule')}>
      <TextField
        {...form.field('name')}
        label={t('Name')}
        hint={t('The person who gets a certificate by this rule sees it in the mail')}
        required
      />
      <SelectField
        {...form.field('entity')}
        onChange={choose}
        label={t('For')}
        options={[
          { value: 'user', label: t('People') },
          { value: 'device', label: t('Devices') },
        ]}
      />
      <SelectField
        {...form.field('templateId')}
        label={t('Template')}
        required
        options={templatesOf(entity).map(({ templateId, name }) => ({ value: templateId, label: name }))}
      />
      {entity === 'user' ? (
        <MultiSelectField
          {...form.field('roleIds')}
          label={t('With one of these roles')}
          placeholder={t('Everybody')}
          options={choices.roles.map(roleOption)}
        />
      ) : (
        <TagsField
          {...form.field('deviceNames')}
          error={
            form.error('deviceNames') ?? deviceNames.map((_, at) => form.error(`deviceNames.${at}`)).find((wrong) => wrong !== undefined)
          }
          label={t('Devices')}
          hint={t('Their DNS names. Whoever saves this rule asks in their place and collects the keys.')}
        />
      )}
      <NumberField {...form.field('renewDays')} label={t('Ask again before the end')} suffix={t('days')} min={0} max={365} />
      <SwitchField {...form.field('enabled')} label={t('Switched on')} />
    </Section>
  )
}

const kindOf: Record<OutcomeState, string> = { held: 'done', requested: 'pending', refused: 'failed' }

function Outcomes({ id }: { id: string }) {
  const list = useList(enrolment.calls.outcomes, {
    key: 'enrolment.outcomes',
    base: { id },
    filters: { state: { label: t('State'), options: outcomeStates.map((value) => ({ value, label: t(outcomeLabels[value]) })) } },
  })
  return (
    <Section title={t('What it did')}>
      <DataTable
        list={list}
        label={t('Outcomes')}
        views={false}
        rowId={(row) => row.subject}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('For'), cell: (row) => row.name },
          {
            key: 'state',
            label: t('State'),
            aside: true,
            cell: (row) => <Status of={kindOf[row.state]} label={t(outcomeLabels[row.state])} />,
            csv: (row) => t(outcomeLabels[row.state]),
          },
          { key: 'reason', label: t('Why'), cell: (row) => row.reason },
          { key: 'at', label: t('Checked'), cell: (row) => <DateTime at={row.at} />, csv: (row) => row.at },
        ]}
        empty={{ title: t('It has not run yet'), text: t('It runs within ten minutes, or at once with “Run now”.') }}
      />
    </Section>
  )
}
