"""The rows of the kind table: what kinds there are, exact to Kubernetes v1.36.

A row is ``group/version kind plural scope short-names categories subresources``; a dash stands
for none. Ours come last.
"""

from __future__ import annotations

from typing import Final

BUILT_IN: Final = """
v1 Namespace namespaces cluster ns - finalize,status
v1 Node nodes cluster no - proxy,status
v1 Pod pods namespaced po all attach,binding,ephemeralcontainers,eviction,exec,log,portforward,proxy,resize,status
v1 Service services namespaced svc all proxy,status
v1 Endpoints endpoints namespaced ep - -
v1 ConfigMap configmaps namespaced cm - -
v1 Secret secrets namespaced - - -
v1 ServiceAccount serviceaccounts namespaced sa - token
v1 Event events namespaced ev - -
v1 LimitRange limitranges namespaced limits - -
v1 ResourceQuota resourcequotas namespaced quota - status
v1 PersistentVolume persistentvolumes cluster pv - status
v1 PersistentVolumeClaim persistentvolumeclaims namespaced pvc - status
v1 ReplicationController replicationcontrollers namespaced rc all scale,status
v1 PodTemplate podtemplates namespaced - - -
apps/v1 Deployment deployments namespaced deploy all scale,status
apps/v1 ReplicaSet replicasets namespaced rs all scale,status
apps/v1 StatefulSet statefulsets namespaced sts all scale,status
apps/v1 DaemonSet daemonsets namespaced ds all status
apps/v1 ControllerRevision controllerrevisions namespaced - - -
batch/v1 Job jobs namespaced - all status
batch/v1 CronJob cronjobs namespaced cj all status
autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers namespaced hpa all status
autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers namespaced hpa all status
autoscaling.k8s.io/v1 VerticalPodAutoscaler verticalpodautoscalers namespaced vpa - status
autoscaling.k8s.io/v1 VerticalPodAutoscalerCheckpoint verticalpodautoscalercheckpoints namespaced vpacheckpoint - -
policy/v1 PodDisruptionBudget poddisruptionbudgets namespaced pdb - status
scheduling.k8s.io/v1 PriorityClass priorityclasses cluster pc - -
storage.k8s.io/v1 StorageClass storageclasses cluster sc - -
storage.k8s.io/v1 CSINode csinodes cluster - - -
storage.k8s.io/v1 CSIDriver csidrivers cluster - - -
storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities namespaced - - -
storage.k8s.io/v1 VolumeAttachment volumeattachments cluster - - status
storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses cluster vac - -
resource.k8s.io/v1 DeviceClass deviceclasses cluster - - -
resource.k8s.io/v1 ResourceClaim resourceclaims namespaced - - status
resource.k8s.io/v1 ResourceClaimTemplate resourceclaimtemplates namespaced - - -
resource.k8s.io/v1 ResourceSlice resourceslices cluster - - -
events.k8s.io/v1 Event events namespaced ev - -
coordination.k8s.io/v1 Lease leases namespaced - - -
discovery.k8s.io/v1 EndpointSlice endpointslices namespaced - - -
networking.k8s.io/v1 Ingress ingresses namespaced ing - status
networking.k8s.io/v1 IngressClass ingressclasses cluster - - -
networking.k8s.io/v1 NetworkPolicy networkpolicies namespaced netpol - -
networking.k8s.io/v1 IPAddress ipaddresses cluster ip - -
networking.k8s.io/v1 ServiceCIDR servicecidrs cluster - - status
node.k8s.io/v1 RuntimeClass runtimeclasses cluster - - -
rbac.authorization.k8s.io/v1 Role roles namespaced - - -
rbac.authorization.k8s.io/v1 ClusterRole clusterroles cluster - - -
rbac.authorization.k8s.io/v1 RoleBinding rolebindings namespaced - - -
rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings cluster - - -
admissionregistration.k8s.io/v1 MutatingAdmissionPolicy mutatingadmissionpolicies cluster - api-extensions -
admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster - api-extensions -
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations cluster - api-extensions -
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies cluster - api-extensions status
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster - api-extensions -
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations cluster - api-extensions -
apiregistration.k8s.io/v1 APIService apiservices cluster - api-extensions status
certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests cluster csr - approval,status
flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas cluster - - status
flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations cluster - - status
apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions cluster crd,crds api-extensions status
kwok.x-k8s.io/v1alpha1 Stage stages cluster - - status
simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1 Scenario scenarios cluster - - status
kubestage.dev/v1alpha1 Traffic traffics namespaced - - status
kubestage.dev/v1alpha1 NodeGroup nodegroups cluster ng - status
"""  # noqa: E501 - one row a line

STORED_AS: Final = {
    ("autoscaling/v1", "HorizontalPodAutoscaler"): ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("events.k8s.io/v1", "Event"): ("v1", "Event"),
}
"""The rows that show objects of another row, and which."""
