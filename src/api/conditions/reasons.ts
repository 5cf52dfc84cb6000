/**
 * The closed list of reasons. Conditions, Events, metrics and notes use the same word, so that all of them can be
 * searched with it.
 */

const hostStates = {
  Pooled: 'The host is free: its last wipe was seen complete, or a person gave it a pool name.',
  Pending:
    'The server has the pending name of an adoption, and no machine claims the host. After ten minutes without a change the host is free again.',
  Adopting: 'A machine has claimed or seeks a host, and the server does not have its name yet.',
  Owned: 'The host belongs to a live machine.',
  Releasing: 'The owner released the host and a wipe is about to be requested.',
  Reinstalling: 'The provider is wiping the host.',
  Stranded: 'The host was used, and its machine no longer exists.',
  Quarantined: 'The host is held: Muster does nothing with it until an operator lifts the hold.',
  Terminating: 'The rent of the host is being ended, or its deletion is scheduled.',
  Foreign: 'The host does not belong to Muster: its name is that of neither a pool nor a machine.',
  Broken: 'The provider reports the host as faulty, or the host did not return from a wipe.',
} as const;

const hostTroubles = {
  HostGone: 'The provider no longer knows the host.',
  RentEnds: 'The rent of the host ends although a machine uses the host: its deletion was scheduled.',
  SpokenFor:
    'A live machine names the host, or has the name of its server, without a claim. The host is not changed.',
  NamedByPerson:
    'A person gave the server a name that Muster does not use. Muster no longer changes the host, and its claim was dropped.',
  SharedHost: 'Several machines have this host.',
  SpareHost: 'Several hosts are reserved for this machine.',
  StandOff: 'The host is reserved for a machine that may not claim it, and both wait.',
  OrderRefused:
    'The release of the host was ordered, but a live machine speaks for the host. The order was dropped; delete or detach the machine instead.',
  HostCalledGone:
    'An operator confirmed that the server no longer exists; the machine was deleted without releasing it.',
  RenameNotSeen: 'The provider accepted a new name for the server, but the server does not show it.',
  RenamedElsewhere:
    'The server was renamed outside of Muster. The host stays with its machine, and is not renamed back.',
} as const;

const adoption = {
  Provisioned: 'The machine has a host and the credentials to reach it.',
  ScalewayAdoptFailed: 'A call to the provider failed while a host was being adopted.',
  ScalewayCreateFailed: 'A call to Scaleway failed while a host was being ordered. Older versions only.',
  NoAdoptPoolPrefix: 'Neither the machine nor the manager has a pool prefix, so no host counts as free.',
  PoolPrefixRefused:
    'The pool prefix of the machine is too short, overlaps with names of hosts in use, or is not allowed.',
  NameTaken: 'An older machine in another namespace has the same name.',
  ServerNameTaken:
    'A server already has the name of the machine and may not be adopted unwiped. The machine waits until that server has another name.',
  NameTooLong: 'The name of the machine is too long for the names that are made from it.',
  NoAvailableHost: 'No free host has the requested zone, type and operating system.',
  InvalidOSPin: 'The requested operating system is not a release family.',
  CredentialsPersistFailed: 'The credentials of the adopted host could not be stored.',
  HostReleased: 'The host was released because it could not be set up; another host will be adopted.',
} as const;

const bootstrap = {
  Bootstrapping: 'The host is being set up.',
  Bootstrapped: 'The host is set up.',
  BootstrapFailed: 'The setup of the host failed and is retried.',
  SSHKeyUnavailable: 'The SSH key of the fleet could not be read, created or registered.',
  CredentialsRefreshFailed: 'The password of the host could not be requested.',
  MissingSudoPassword:
    'The provider does not return the password of the host, and without it nothing can be set up.',
  NodeMissing: 'The host was set up but its Node does not exist.',
  NodeIdentityUnavailable: 'The ServiceAccount or token of the Node could not be created.',
  KubeconfigUnavailable: 'The kubeconfig for the Node could not be written.',
  TailscaleAuthKeyUnavailable: 'The key for the private network of the fleet could not be read.',
  GHRunnerRegistrationTokenUnavailable: 'GitHub gave no token to register the runner of this machine.',
  CachePrivateNetworkUnavailable: 'The private network of the build cache could not be attached.',
} as const;

const ssh = {
  SSHUnreachable:
    'No SSH connection to the host could be made: its address does not answer, or does not speak SSH.',
  SSHKeyRefused: 'The host does not accept the SSH key of the fleet for this user.',
  HostKeyChanged:
    'The host shows another host key than before. Nothing was sent: the address may belong to another machine.',
  SSHTimeout: 'A step of the SSH connection took longer than its deadline. The connection was ended.',
  SSHConnectionLost: 'The SSH connection ended before the answer of the host was complete.',
  SSHCommandFailed: 'A command on the host ended with an unexpected exit code or by a signal.',
} as const;

const agentRoll = {
  TartKubeletUpdateExceededRetries: 'The update of the agent failed too often and is suspended.',
} as const;

const release = {
  Released: 'The host was returned to the pool.',
  ReleaseFailed: 'The release of the host failed and is retried.',
  ReleaseSkipped: 'The host was left running under its name, because there is no pool prefix for its return.',
  OSPinUnavailable:
    'The host is wiped to another release family than requested: that family is not on offer, or the provider took another.',
  AwaitingReinstall: 'A wipe was requested and has not been seen to start.',
  Deleting: 'The rent of the host is being ended.',
  Deleted: 'The rent of the host was ended, or its end is scheduled.',
  DeleteFailed: 'The deletion of the host, or of an object made for it, failed and is retried.',
} as const;

const runners = {
  ReplicasMet: 'The pool has the desired number of Pods.',
  ReplicasMissing: 'The pool has fewer Pods than desired.',
  Draining: 'The pool is being deleted and waits for Pods that run a job.',
  RuntimeClassRefused:
    'A Linux pool whose jobs use Docker must run under `kata-qemu`, but this pool does not.',
  RunnerPodRetiredForNodeDrain: 'An idle Pod was removed because its Node is being drained.',
  RunnerPodStartTimedOut: 'A Pod was removed because it did not start polling in time.',
  RunnerPodUnschedulable: 'A Pod was removed because no Node had capacity for it in time.',
  RunnerPodNotReported:
    'An ended Pod was removed although the report to dispatch failed, so that the Pod does not stay for ever.',
  RunnerPodsEndEarly:
    'Pods of the pool end soon after their start, without a job; new Pods are created slowly.',
  WindowRefused: 'A window of the pool names an unknown time zone, and is never open.',
  NoHealthyNode: 'No Node of the fleet can take a new Pod.',
  FleetCap: 'The limit of starting Pods of the fleet is reached.',
  FleetViewError: 'The Nodes of the fleet are not known yet.',
  RollingOut: 'Pods with an old image or runtime class are being replaced, a few at a time.',
  NotAutoscaled: 'Muster does not set the number of Pods.',
  SignalsUnavailable: 'Dispatch does not report the demand, so the number of Pods stays the same.',
  RuntimeClassUnknown:
    'The memory overhead of a Pod is unknown without its runtime class, so the number stays the same.',
  CoolingDown: 'Fewer Pods are needed, but the last scale-down was too recent.',
  AtTarget: 'The pool has as many replicas as needed.',
  ScaledUp: 'The replicas were raised, because more Pods are needed.',
  ScaledDown: 'The replicas were lowered, because fewer Pods are needed.',
} as const;

const providerCalls = {
  NotFound: 'The object, server, key or zone does not exist.',
  TransientState: 'The provider refuses because another operation on the server is running.',
  BillingFloor: 'The provider refuses to end the rent before the end of the minimum rental period.',
  PreconditionFailed: 'The provider refuses because a precondition does not hold.',
  Locked: 'The provider has locked the server.',
  RateLimited: 'The provider limits the rate of requests.',
  Unauthenticated: 'The provider does not accept the credentials.',
  PermissionDenied: 'The credentials do not allow this request.',
  QuotaExceeded: 'The quota at the provider is used up.',
  OutOfStock: 'The provider is out of stock.',
  AlreadyExists: 'An object of this name exists already.',
  Conflict: 'Another client changed the same object at the same time.',
  InvalidArguments: 'The provider rejects the arguments of the request.',
  OSNotPublished: 'No image of the requested operating system is on offer.',
  OutcomeUnknown: 'The answer of the provider is lost or unreadable, so the change may have happened.',
  ServerError: 'The provider answered a change with a server error; the change may have happened.',
  ProviderUnavailable: 'The provider fails, or does not answer in time.',
  Unreachable: 'No connection could be made, so no request was sent.',
  UnreadableReply: 'The answer does not fit the request.',
  RedirectRefused: 'The server redirects elsewhere, and credentials are not sent there.',
  ListingShifted: 'The servers at the provider changed while they were being listed.',
  CredentialsMissing: 'The credentials are missing or malformed.',
  Unsupported: 'This provider has no such operation.',
  WipeFailed: 'The command that wipes a host failed, or was cut off.',
  HostListUnusable: 'The list of owned hosts, or the notes about them, are missing, empty or invalid.',
} as const;

const connections = {
  AnswerLost: 'The connection broke before the answer of the Kubernetes API was complete.',
  NotKubernetes: 'The answer does not come from a Kubernetes API.',
  Redirected: 'The server redirects to another address, which is not followed.',
  SilentWatch: 'A watch was silent for too long and is started again.',
  ShortWatch: 'The Kubernetes API ended a watch at once, without a reason.',
  OutdatedList: 'The Kubernetes API answered a list with a state older than one that it had shown before.',
  EndlessList: 'The Kubernetes API answered a list with the same page again.',
  BadKubeconfig: 'The kubeconfig is not readable or not complete.',
  NoCredentials: 'The credentials for the Kubernetes API cannot be read.',
  NoServiceAccount: 'The process runs outside a cluster and has no kubeconfig.',
  NotLeading: 'Another replica leads now.',
} as const;

const kubernetesAnswers = {
  BadRequest: 'The Kubernetes API does not understand the request.',
  Unauthorized: 'The Kubernetes API does not accept the credentials.',
  Forbidden: 'The ServiceAccount lacks a right in the Kubernetes API.',
  MethodNotAllowed: 'The Kubernetes API does not offer this request for the resource.',
  NotAcceptable: 'The Kubernetes API cannot answer in the wanted format.',
  Gone: 'The wanted revision is no longer kept by the Kubernetes API.',
  Expired: 'The list or watch is older than what the Kubernetes API keeps.',
  RequestEntityTooLarge: 'The object is too large for the Kubernetes API.',
  UnsupportedMediaType: 'The Kubernetes API does not take this content type.',
  Invalid: 'The Kubernetes API refused the object because a field is invalid.',
  TooManyRequests: 'The Kubernetes API wants fewer requests.',
  ServiceUnavailable: 'The Kubernetes API is not available.',
  Timeout: 'The Kubernetes API did not answer in time.',
  ServerTimeout: 'The Kubernetes API could not finish the request in time.',
} as const;

const dispatchFailures = {
  DatabaseUnavailable: 'The database of dispatch does not answer.',
  DispatchUnavailable: 'Dispatch does not answer.',
  TransactionUndone: 'The database undid a transaction; the request is sent again.',
  GitHubUnavailable: 'GitHub fails, or does not answer in time.',
  InvalidRequest: 'GitHub refused the request as invalid.',
  NoRepository: 'GitHub does not show the repository to the App.',
  RunnerBusy: 'The runner has a job, so that its registration stays.',
  Paced: 'Muster holds the request back to stay below a limit of GitHub.',
  MoreDeliveries: 'GitHub has more failed webhook deliveries than one run asks for.',
  PodGone: 'The Pod does not exist any more.',
  OtherPod: 'A Pod of the same name and another uid exists.',
  PoolUnknown: 'The Pod belongs to no known pool.',
  TooManyPolls: 'The Pod polls too often.',
  TooManyBodies: 'Too many request bodies are being read at once.',
  TooManyTokenReviews: 'Too many tokens wait for their TokenReview.',
  UnknownSigningKey: 'The token is signed with a key that the cluster does not publish.',
  WrongAudience: 'The token for dispatch was issued for another audience.',
  Unavailable: 'The request cannot be served at the moment.',
} as const;

const spreading = {
  Spread: 'The Deployment is spread over all ready Macs.',
  Spreading: 'The set of ready Macs has changed, so the Deployment is rolled once to use all of them.',
  Rolling: 'The Deployment is being rolled; another roll waits for the end of this one.',
  NoDeployment: 'The Deployment to spread does not exist.',
} as const;

const fleetKeys = {
  KeyRegistered: 'The SSH key of the fleet is stored and registered with the provider.',
  KeyMade: 'The fleet had no SSH key and got one.',
  KeyRegistering: 'The SSH key of the fleet is being registered with the provider.',
  OtherKey: 'The provider has another key under the name of the fleet.',
} as const;

const anyKind = {
  NotYetObserved: 'The object was not observed yet.',
  AllConditionsMet: 'All required conditions hold.',
  NothingToProvision: 'There is nothing to build for this object.',
  ManagedElsewhere: 'The control plane is run by something other than Cluster API.',
  ControlPlaneInitialized:
    'The ControlPlaneInitialized condition was set on a Cluster that names no control plane.',
  Settling: 'The object changed recently and is left alone until it has settled.',
  BackingOff: 'A step failed before and waits for its next attempt.',
  Paused: 'An operator paused the object.',
  NotPaused: 'The object is not paused.',
  Progressing: 'Work continues without the help of a person.',
  NotReleasing: 'The host is not being released.',
  InternalError: 'Something failed inside Muster; the log has the details.',
} as const;

/** The reasons by theme, each with its meaning. Each reason is in one theme. */
export const reasonThemes = [
  { heading: 'States of a MacHost', meanings: hostStates },
  { heading: 'Problems of a host', meanings: hostTroubles },
  { heading: 'Adopting a host', meanings: adoption },
  { heading: 'Setting up a host', meanings: bootstrap },
  { heading: 'SSH connections to hosts', meanings: ssh },
  { heading: 'Updating the agent', meanings: agentRoll },
  { heading: 'Releasing a host', meanings: release },
  { heading: 'Spreading over Macs', meanings: spreading },
  { heading: 'SSH keys of fleets', meanings: fleetKeys },
  { heading: 'Runner pools', meanings: runners },
  { heading: 'Calls to the provider', meanings: providerCalls },
  { heading: 'Dispatch', meanings: dispatchFailures },
  { heading: 'Connections to the Kubernetes API', meanings: connections },
  { heading: 'Answers of the Kubernetes API', meanings: kubernetesAnswers },
  { heading: 'Everywhere', meanings: anyKind },
] as const;

/** Each reason with its meaning. */
export const reasons = {
  ...hostStates,
  ...hostTroubles,
  ...adoption,
  ...bootstrap,
  ...ssh,
  ...agentRoll,
  ...release,
  ...spreading,
  ...fleetKeys,
  ...runners,
  ...providerCalls,
  ...dispatchFailures,
  ...connections,
  ...kubernetesAnswers,
  ...anyKind,
} as const;

export type Reason = keyof typeof reasons;
/** Why work on a host over SSH failed. */
export type SshReason = keyof typeof ssh;
/** Why a call to the provider of the hosts failed. */
export type ProviderReason = keyof typeof providerCalls;

/** The reason of a failure; the status stands for an HTTP answer without a reason. */
export type FailureReason = Reason | `Http${number}`;

export function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text);
}
