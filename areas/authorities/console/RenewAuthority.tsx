// The way to go on: the same key with a later end, or a new key. A new key makes a successor, which takes over at a moment that is chosen here.

import { Alert, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { DateField, NumberField, RadioField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Wizard } from '#core/console/kit/Wizard.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { longLifeRemark } from '#standards/lint/authority-life.ts'
import { authorities, type AuthorityView } from '../contract.ts'
import { endOfValidity, validityUnits, type ValidityUnit } from '../rules.ts'
import { KeyPlaceFields } from './KeyPlaceFields.tsx'
import { authorityPath } from './paths.ts'
import { SuccessionTimeline } from './SuccessionTimeline.tsx'

type Life = OutputOf<typeof authorities.calls.life>
type Way = 'sameKey' | 'newKey'

const unitTexts: Record<ValidityUnit, string> = { HOURS: 'Hours', DAYS: 'Days', MONTHS: 'Months', YEARS: 'Years' }
const unitOptions = () => validityUnits.map((value) => ({ value, label: t(unitTexts[value]) }))

export function RenewAuthority() {
  const { id = '' } = useParams()
  const authority = useCall(authorities.calls.view, { caId: id })
  const life = useCall(authorities.calls.life, { caId: id })
  return (
    <Page title={authority.data === undefined ? t('Renew authority') : t('Renew {name}', { name: authority.data.friendlyName })} narrow>
      <Loaded query={authority}>{(found) => <Loaded query={life}>{(its) => <Steps authority={found} life={its} />}</Loaded>}</Loaded>
    </Page>
  )
}

function Steps({ authority, life }: { authority: AuthorityView; life: Life }) {
  const navigate = useNavigate()
  const { id, kind, revocation } = authority
  const only: Way | undefined = kind === 'outside' || revocation !== undefined || life.successor !== undefined ? 'newKey' : undefined
  const [way, choose] = useState<Way>(only ?? 'sameKey')
  const [at, go] = useState(life.successor === undefined ? 0 : 2)
  const leave = () => navigate(authorityPath(id, 'life'))
  if (kind === 'offline')
    return (
      <Alert color="gray">
        {t('The key of this authority is not here: renew it where its key is, and import the certificate on its page.')}
      </Alert>
    )
  return (
    <Wizard
      at={at}
      onStep={go}
      onDone={leave}
      finish={t('Done')}
      steps={[
        {
          key: 'way',
          label: t('Same key or new key'),
          content: () => <Choice authority={authority} only={only} way={way} onChoose={choose} />,
        },
        way === 'sameKey'
          ? {
              key: 'renew',
              label: t('New end'),
              buttons: false,
              content: ({ back }) => <SameKey authority={authority} onBack={back} onDone={leave} />,
            }
          : {
              key: 'succeed',
              label: t('New key'),
              buttons: false,
              content: ({ next, back }) =>
                life.successor === undefined ? (
                  <NewKey authority={authority} onBack={back} onDone={next} />
                ) : (
                  <Text>{t('The successor is made.')}</Text>
                ),
            },
        ...(way === 'sameKey'
          ? []
          : [{ key: 'takeOver', label: t('Take over'), content: () => <TakeOver authority={authority} life={life} /> }]),
      ]}
    />
  )
}

function Choice({
  authority,
  only,
  way,
  onChoose,
}: {
  authority: AuthorityView
  only: Way | undefined
  way: Way
  onChoose: (way: Way) => void
}) {
  const { notAfter, kind, revocation } = authority
  return (
    <Section>
      {notAfter !== undefined && (
        <Facts
          items={[
            {
              label: t('The present certificate holds until'),
              value: (
                <>
                  <DateTime at={notAfter} dateOnly /> ({relativeTime(notAfter)})
                </>
              ),
            },
          ]}
        />
      )}
      <RadioField
        name="way"
        value={way}
        onChange={(picked) => picked !== undefined && onChoose(picked)}
        onBlur={() => {}}
        error={undefined}
        label={t('How should it continue?')}
        options={(['sameKey', 'newKey'] as const)
          .filter((value) => only === undefined || value === only)
          .map((value) => ({
            value,
            label: value === 'sameKey' ? t('Same key, later end') : t('New key: a successor'),
            hint:
              value === 'sameKey'
                ? t('Nothing changes for those who trust it. All that it has signed verifies under either certificate.')
                : t(
                    'Another authority of the same name with a key, lists and addresses of its own. The old one stays for what it has signed.',
                  ),
          }))}
      />
      {kind === 'outside' && (
        <Text size="sm" c="dimmed">
          {t('With the same key: take its request to the outside authority again, and import the answer on its page.')}
        </Text>
      )}
      {revocation !== undefined && (
        <Text size="sm" c="dimmed">
          {t('Its certificate is revoked: only a new key helps.')}
        </Text>
      )}
      {kind === 'root' && way === 'newKey' && (
        <List size="sm">
          <List.Item>
            {t(
              'Two link certificates are made: the new key signed by the old, and the old by the new. Whoever trusts either root verifies both.',
            )}
          </List.Item>
          <List.Item>{t('Bring the new root to those who trust the old one before that ends.')}</List.Item>
        </List>
      )}
    </Section>
  )
}

function SameKey({ authority, onBack, onDone }: { authority: AuthorityView; onBack: () => void; onDone: () => void }) {
  return (
    <Section>
      <Form
        call={authorities.calls.renew}
        initial={{ caId: authority.id, validityPeriod: authority.kind === 'root' ? 20 : 10, validityPeriodUnits: 'YEARS' }}
        submit={t('Renew certificate')}
        cancel={{ label: t('Back'), onClick: onBack }}
        invalidates={['templates', 'certificates', 'home']}
        onDone={onDone}
      >
        {(form) => (
          <>
            <Group align="flex-start" gap="sm" grow>
              <NumberField
                {...form.field('validityPeriod')}
                label={t('Valid for')}
                hint={t('From now on; never beyond the end of its issuer.')}
                min={1}
              />
              <SelectField {...form.field('validityPeriodUnits')} label={t('Unit')} options={unitOptions()} />
            </Group>
            <LongLife kind={authority.kind} {...form.values} />
          </>
        )}
      </Form>
    </Section>
  )
}

/** What lint would say of this life: the issuer's end may yet cut it short. */
function LongLife({
  kind,
  validityPeriod,
  validityPeriodUnits = 'YEARS',
}: {
  kind: AuthorityView['kind']
  validityPeriod?: number | undefined
  validityPeriodUnits?: ValidityUnit | undefined
}) {
  const [now] = useState(() => new Date())
  const remark =
    validityPeriod === undefined
      ? undefined
      : longLifeRemark(kind === 'root' ? 'root' : 'subordinate', now, endOfValidity(now, validityPeriod, validityPeriodUnits))
  if (remark === undefined) return null
  return (
    <Alert color="yellow" variant="light">
      {t(remark)}
    </Alert>
  )
}

type KeyValues = {
  caId: string
  friendlyName: string
  keyAlgorithm: KeyAlgorithm
  tokenId: string
  tokenKeyId: string
  validityPeriod?: number | undefined
  validityPeriodUnits: ValidityUnit
}

function NewKey({ authority, onBack, onDone }: { authority: AuthorityView; onBack: () => void; onDone: () => void }) {
  const { id, kind, friendlyName, keyAlgorithm, token } = authority
  const initial: KeyValues = {
    caId: id,
    friendlyName: `${friendlyName} 2`,
    keyAlgorithm,
    tokenId: token?.tokenId ?? '',
    tokenKeyId: '',
    validityPeriod: kind === 'root' ? 20 : 10,
    validityPeriodUnits: 'YEARS',
  }
  return (
    <Section>
      <Form
        call={authorities.calls.succeed}
        initial={initial}
        toInput={({ tokenId, tokenKeyId, validityPeriod, ...values }: KeyValues) => ({
          ...values,
          ...(tokenId === '' ? {} : { tokenId }),
          ...(tokenKeyId === '' ? {} : { tokenKeyId }),
          ...(validityPeriod === undefined ? {} : { validityPeriod }),
        })}
        submit={t('Create successor')}
        cancel={{ label: t('Back'), onClick: onBack }}
        onDone={onDone}
      >
        {(form) => (
          <>
            <TextField
              {...form.field('friendlyName')}
              label={t('Name in Chancery')}
              hint={t('Its certificate has the same subject as the old one; this name tells the two apart in lists.')}
              required
            />
            <KeyPlaceFields
              tokenField={form.field('tokenId')}
              keyField={form.field('tokenKeyId')}
              algorithmField={form.field('keyAlgorithm')}
              onChange={(place) => form.setAll(place)}
            />
            {kind !== 'outside' && (
              <>
                <Group align="flex-start" gap="sm" grow>
                  <NumberField {...form.field('validityPeriod')} label={t('Valid for')} min={1} />
                  <SelectField {...form.field('validityPeriodUnits')} label={t('Unit')} options={unitOptions()} />
                </Group>
                <LongLife kind={kind} {...form.values} />
              </>
            )}
          </>
        )}
      </Form>
    </Section>
  )
}

type Taking = { caId: string; when: 'now' | 'later'; at?: string | undefined }

function TakeOver({ authority, life }: { authority: AuthorityView; life: Life }) {
  const { id, friendlyName, notBefore, notAfter } = authority
  const { successor, movedAt, movesAt, lastEnd } = life
  if (successor === undefined) return <Text c="dimmed">{t('There is no successor yet.')}</Text>
  return (
    <Stack gap="md">
      {successor.notBefore !== undefined && successor.notAfter !== undefined && notBefore !== undefined && notAfter !== undefined && (
        <Section title={t('Overlap')}>
          <SuccessionTimeline
            old={{ name: friendlyName, notBefore, notAfter }}
            successor={{ name: successor.friendlyName, notBefore: successor.notBefore, notAfter: successor.notAfter }}
            lastEnd={lastEnd}
            movesAt={movesAt}
            movedAt={movedAt}
          />
          <TextLink to={authorityPath(successor.caId, 'life')}>{t('Its certificates and links')}</TextLink>
        </Section>
      )}
      {movedAt !== undefined ? (
        <Alert color="gray" variant="light">
          {t('The successor took over')} <DateTime at={movedAt} />
        </Alert>
      ) : (
        <Section
          title={t('When should it take over?')}
          intro={t(
            'Its templates and licences become the successor\u2019s: what is asked for from then on is issued by it. What waits for an approval is issued as it was asked for.',
          )}
        >
          {movesAt !== undefined && (
            <Text size="sm">
              {t('Scheduled for')} <DateTime at={movesAt} />
            </Text>
          )}
          <Form
            call={authorities.calls.takeOver}
            initial={{ caId: id, when: 'now' }}
            toInput={({ caId, when, at }: Taking) => ({ caId, ...(when === 'later' && at !== undefined ? { at: instantOf(at) } : {}) })}
            check={({ when, at }: Taking): Record<string, string> =>
              when === 'later' && (at ?? '') === '' ? { at: t('Choose the time') } : {}
            }
            submit={t('Let it take over')}
            invalidates={['templates', 'licensing', 'certificates']}
            guard={false}
            onDone={({ moved }) => {
              toast({
                kind: 'success',
                title:
                  moved === undefined
                    ? t('The time is set')
                    : t(
                        '{count, plural, =0 {The successor has taken over} one {The successor has taken over one template} other {The successor has taken over # templates}}',
                        { count: moved },
                      ),
              })
            }}
          >
            {(form) => (
              <>
                <RadioField
                  {...form.field('when')}
                  label={t('Time')}
                  options={[
                    { value: 'now', label: t('Now') },
                    { value: 'later', label: t('At a time'), hint: t('Once those who trust the old one know the new one, too.') },
                  ]}
                />
                {form.values.when === 'later' && <DateField {...form.field('at')} label={t('Day and time')} withTime required />}
              </>
            )}
          </Form>
        </Section>
      )}
    </Stack>
  )
}

/** The browser's local time as an instant; text that is no time goes as it is, for the call's shape to refuse. */
function instantOf(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}
