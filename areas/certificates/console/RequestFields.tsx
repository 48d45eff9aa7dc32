import { Alert, Button, Text } from '@mantine/core'
import { isHolderKey } from '#areas/keys/rules.ts'
import { longestRequest, type templates } from '#areas/templates/contract.ts'
import { keyKinds, type Entity } from '#areas/templates/rules.ts'
import { PersonField } from '#areas/users/PersonField.tsx'
import { useViewer } from '#core/console/bootstrap.ts'
import { type Option, RadioField, SelectField, TagsField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Fold } from '#core/console/kit/Fold.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { hostNames, type RequestValues } from './request-values.ts'

type Offered = OutputOf<typeof templates.calls.offered>['templates']
type Asked = Offered[number]['asks'][number]

export function RequestFields({
  form,
  forOthers,
  entity,
  offered,
  decoded,
  plain,
}: {
  form: FormKit<RequestValues>
  forOthers: boolean
  entity: Entity
  offered: Offered
  /** What is in the CSR, by source. */
  decoded: Record<string, string[]>
  /** The key is made for who asks, which needs no word of the trade: the rest is folded. */
  plain: boolean
}) {
  const template = offered.find(({ templateId }) => templateId === form.values.templateId)
  const typed = template?.asks.filter(({ from }) => from === 'typed') ?? []
  const recorded = template?.asks.filter(({ from }) => from === 'record') ?? []
  const keys = template?.keys.filter(isHolderKey) ?? []
  // What few need is folded, where what all need stands beside it; what somebody filled in stays in view.
  const wanted = ({ source, required }: Asked) => required || source === 'DNS' || (form.values.values[source] ?? []).length > 0
  const folds = typed.some(({ required }) => required) && typed.filter((one) => !wanted(one)).length > 1
  const usual = folds ? typed.filter(wanted) : typed
  const others = folds ? typed.filter((one) => !wanted(one)) : []
  const name = ({ source, label, required, many }: Asked) => {
    const needed = required && (template?.ignoreCsrDetails === true || form.values.keyFrom === 'server')
    const field = form.field(`values.${source}`)
    const error = field.error ?? (field.value ?? []).map((_, at) => form.error(`values.${source}.${at}`)).find((says) => says !== undefined)
    return many ? (
      <TagsField
        key={source}
        {...field}
        error={error}
        value={field.value ?? []}
        label={t(label)}
        hint={t('Several are possible: end each with Enter')}
        required={needed}
      />
    ) : (
      <TextField
        key={source}
        {...field}
        error={error}
        value={field.value?.[0] ?? ''}
        onChange={(text) => field.onChange(text === undefined || text === '' ? [] : [text])}
        label={t(label)}
        required={needed}
      />
    )
  }
  const key = (
    <>
      <RadioField
        {...form.field('keyFrom')}
        label={t('Where does the key come from?')}
        options={ordered<Option<RequestValues['keyFrom']>>(entity, [
          {
            value: 'csr',
            label: t('I have a certificate request (CSR)'),
            hint:
              template?.keyArchival === true
                ? t('Not with this template: its keys are archived, so they are made here.')
                : entity === 'user'
                  ? t('For a key that is on your card or computer already. It stays there.')
                  : t('The key stays where it was made. This is the better way.'),
          },
          {
            value: 'server',
            label: t('Make the key for me'),
            hint:
              template?.keyArchival === true
                ? t(
                    'You get key and certificate in one file (PKCS#12), locked by a password that you choose. A sealed copy is archived, which others can agree to recover.',
                  )
                : t(
                    'The right choice when nobody told you otherwise. You get key and certificate in one file (PKCS#12), locked by a password that you choose. No copy is kept.',
                  ),
          },
        ])}
      />
      {form.values.keyFrom === 'csr' ? (
        <PemInput {...form.field('csr')} label={t('Certificate request (CSR)')} most={longestRequest} kind="CERTIFICATE REQUEST" required />
      ) : (
        <SelectField
          {...form.field('key')}
          label={t('Kind of key')}
          placeholder={keys[0] === undefined ? '' : keyKinds[keys[0]].label}
          options={keys.map((value) => ({ value, label: keyKinds[value].label }))}
        />
      )}
    </>
  )
  return (
    <>
      <Section title={t('What for')}>
        <SelectField
          {...form.field('templateId')}
          label={t('Template')}
          required
          options={offered.map(({ templateId, displayName, caName }) => ({
            value: templateId,
            label: t('{name} ({authority})', { name: displayName, authority: caName }),
          }))}
        />
        {forOthers && <HolderField form={form} />}
      </Section>

      <Section title={t('Key')}>
        {plain ? (
          <>
            <Text size="sm">
              {template?.keyArchival === true
                ? t(
                    'The key is made for you. You get it with the certificate in one file, locked by a password that you choose. A sealed copy is archived, which others can agree to recover.',
                  )
                : t('The key is made for you. You get it with the certificate in one file, locked by a password that you choose.')}
            </Text>
            <Fold label={t('Another key')} says={t('Only if somebody told you so')}>
              {key}
            </Fold>
          </>
        ) : (
          key
        )}
      </Section>

      {(typed.length > 0 || recorded.length > 0) && (
        <Section
          title={t('Names')}
          intro={
            template?.ignoreCsrDetails === false && form.values.keyFrom === 'csr'
              ? t('Left empty, the names of the request are taken.')
              : t('These appear in the certificate.')
          }
        >
          <OfferedName form={form} names={namesMissing(template, form.values, decoded)} />
          {usual.map(name)}
          {others.length > 0 && (
            <Fold label={t('More names')} says={t('Optional')}>
              {others.map(name)}
            </Fold>
          )}
          {recorded.length > 0 && (
            <Facts items={recorded.map(({ label }) => ({ label: t(label), value: t('Filled in from the record of the person') }))} />
          )}
        </Section>
      )}

      <Section title={t('For the people who handle it')}>
        <TextAreaField
          {...form.field('comment')}
          label={t('Comment')}
          {...(template !== undefined && template.issueApprovers > 0 ? { hint: t('Approvers read this: say what it is for.') } : {})}
        />
        <Fold label={t('Display name and contact')} says={t('Optional')}>
          <TextField
            {...form.field('friendlyName')}
            label={t('Display name')}
            hint={t('A name to find it by; it does not appear in the certificate.')}
          />
          <TextField {...form.field('contactEmail')} type="email" label={t('Contact e-mail')} />
        </Fold>
      </Section>
    </>
  )
}

/** The way that most take comes first. */
const ordered = <T,>(entity: Entity, options: readonly [T, T]): readonly T[] => (entity === 'user' ? options.toReversed() : options)

/** Common names that could be DNS names as well, where the template wants one and neither the request nor the form names any. */
function namesMissing(
  template: Offered[number] | undefined,
  { keyFrom, values }: RequestValues,
  decoded: Record<string, string[]>,
): readonly string[] {
  const wants = template?.asks.some(({ source, from }) => source === 'DNS' && from === 'typed') === true
  const has = (decoded['DNS'] ?? []).length > 0 || (values['DNS'] ?? []).length > 0
  return keyFrom === 'csr' && wants && !has ? hostNames(decoded) : []
}

/** A request without alternative names is the commonest fault: one press mends it. */
function OfferedName({ form, names }: { form: FormKit<RequestValues>; names: readonly string[] }) {
  const [name] = names
  if (name === undefined) return null
  return (
    <Alert color="yellow" variant="light" title={t('The request names no DNS name')}>
      <Text inherit>{t('Programs look for the name of a server among the DNS names, not in the common name.')}</Text>
      <Button
        mt="xs"
        size="xs"
        onClick={() => {
          form.clearErrors('csr')
          form.clearErrors('values')
          form.set('values', { ...form.values.values, DNS: [name] })
        }}
      >
        {t('Use {name} as DNS name', { name })}
      </Button>
    </Alert>
  )
}

/** Whose certificate it is. */
function HolderField({ form }: { form: FormKit<RequestValues> }) {
  const viewer = useViewer()
  return (
    <PersonField
      {...form.field('username')}
      label={t('Holder')}
      placeholder={viewer?.username ?? ''}
      typed={{ label: t('Username of the holder'), hint: t('Left empty, it is for you.') }}
    />
  )
}
